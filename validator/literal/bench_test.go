package literal_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/grafana/sobek/parser"

	"plugcheck/validator/literal"
)

const benchManifest = `
export const manifest = {
  name: "Lists",
  api: 1,
  permissions: ["reply.text"],
  match: { clients: [], models: ["gpt-*", "claude-*"], upstreams: [] },
  reply: "block",
  settings: {
    bullet: { type: "string", label: "What stands in front of an item", value: "-" },
    limit: { type: "number", value: 40 },
  },
};
`

// largeModule is plain plugin code of about a size with the manifest in front, as
// plugins have it, or at the end, where a finder has to go over everything before.
func largeModule(size int, front bool) []byte {
	var b strings.Builder
	if front {
		b.WriteString(benchManifest)
	}
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `
// rewrite%[1]d puts the words of a reply in order.
const pattern%[1]d = /^\s*(?:[-*/]|\d+\.)\s+(.*)$/u;
const limits%[1]d = { lines: 0x%[1]x, share: .5, names: ['user', "assistant"], deep: { on: true } };

function rewrite%[1]d(message, options = {}) {
  if (!message || message.role === 'system') /* left as it is */ return message;
  const half = message.text.length / 2, parts = [];
  for (const line of message.text.split("\n")) {
    const found = pattern%[1]d.exec(line);
    if (found) parts.push(`+"`${options.bullet ?? '-'} ${found[1].trim()}`"+`);
    else if (line.length > half / limits%[1]d.lines) parts.push(line.replace(/["'{}]/g, ''));
  }
  return { ...message, text: parts.join('\n'), at: half / 3 };
}

export class Rewriter%[1]d {
  count = 0;
  get share() { return this.count / limits%[1]d.share; }
  /** Counts what it has seen. */
  onReplyText(text) { this.count++; return rewrite%[1]d({ role: 'user', text }).text; }
}
`, i)
	}
	if !front {
		b.WriteString(benchManifest)
	}
	return []byte(b.String())
}

// BenchmarkFind compares finding the manifest in a large module with parsing the
// module.
func BenchmarkFind(b *testing.B) {
	compare(b, func(source []byte) error {
		_, err := literal.Find(source)
		return err
	})
}

// BenchmarkRewrite compares changing the manifest in a large module with parsing
// the module.
func BenchmarkRewrite(b *testing.B) {
	skip := "skip"
	compare(b, func(source []byte) error {
		_, err := literal.Rewrite(source, literal.Change{OnError: &skip})
		return err
	})
}

// compare measures a way of reading a module against a full parser. The two take
// turns, so that what else the machine does slows both.
func compare(b *testing.B, ours func([]byte) error) {
	for name, front := range map[string]bool{"manifest-first": true, "manifest-last": false} {
		b.Run(name, func(b *testing.B) {
			source := largeModule(1<<20, front)
			b.SetBytes(int64(len(source)))
			var parsing time.Duration
			for b.Loop() {
				if err := ours(source); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				start := time.Now()
				if _, err := parser.ParseFile(nil, "", string(source), 0, parser.IsModule, parser.WithDisableSourceMaps); err != nil {
					b.Fatal(err)
				}
				parsing += time.Since(start)
				runtime.GC() // what the parser leaves is not ours to clear away
				b.StartTimer()
			}
			b.ReportMetric(float64(parsing)/float64(b.Elapsed()), "times-faster")
		})
	}
}
