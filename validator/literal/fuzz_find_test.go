package literal

import (
	"strings"
	"testing"
)

func FuzzFind(f *testing.F) {
	for _, code := range lookAlikes {
		f.Add([]byte(code + "\nexport const manifest = " + sample + ";\n" + code))
	}
	for _, texts := range notData {
		for _, text := range texts {
			f.Add([]byte("\ufeff#!\r\nexport const manifest = " + strings.Replace(text, "⟦", "", 1)))
		}
	}
	f.Add([]byte("export const manifest = {\n  a: '\\u{41}\\ud83d\\ude00', b: [-0x1F, 1_0.5e3, true, null, `t\r\n`],\n};\nexport {}"))
	f.Fuzz(func(t *testing.T, source []byte) { checkFind(t, source) })
}
