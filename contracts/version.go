package contracts

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// A Version is major.minor. Versions of one major are compatible: a minor only adds.
type Version struct{ Major, Minor int }

// ParseVersion reads "1.0".
func ParseVersion(s string) (Version, error) {
	major, minor, ok := strings.Cut(s, ".")
	v := Version{}
	var err1, err2 error
	v.Major, err1 = number(major)
	v.Minor, err2 = number(minor)
	if !ok || err1 != nil || err2 != nil {
		return Version{}, fmt.Errorf("%q is not a version: wanted MAJOR.MINOR such as 1.0", s)
	}
	return v, nil
}

// number takes decimal digits only: no sign, no leading zero.
func number(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err == nil && strconv.Itoa(n) != s || n < 0 {
		err = strconv.ErrSyntax
	}
	return n, err
}

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Compare orders versions.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor))
}
