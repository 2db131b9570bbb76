package rpc

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// An idSet remembers ids that are done with. Whole numbers, of which a long
// session has many, are kept as ranges.
type idSet struct {
	ranges []span // sorted, apart from each other
	others map[string]bool
}

type span struct{ first, last int64 }

func (s *idSet) add(id string) {
	n, ok := whole(id)
	if !ok {
		if s.others == nil {
			s.others = map[string]bool{}
		}
		s.others[id] = true
		return
	}
	i, found := s.find(n)
	if found {
		return
	}
	left := i > 0 && s.ranges[i-1].last+1 == n
	right := i < len(s.ranges) && s.ranges[i].first-1 == n
	switch {
	case left && right:
		s.ranges[i-1].last = s.ranges[i].last
		s.ranges = slices.Delete(s.ranges, i, i+1)
	case left:
		s.ranges[i-1].last = n
	case right:
		s.ranges[i].first = n
	default:
		s.ranges = slices.Insert(s.ranges, i, span{n, n})
	}
}

func (s *idSet) has(id string) bool {
	n, ok := whole(id)
	if !ok {
		return s.others[id]
	}
	_, found := s.find(n)
	return found
}

// find returns the range that holds n, or where one would stand.
func (s *idSet) find(n int64) (int, bool) {
	return slices.BinarySearchFunc(s.ranges, n, func(r span, n int64) int {
		switch {
		case r.last < n:
			return -1
		case r.first > n:
			return 1
		}
		return 0
	})
}

// whole reads an id that is a whole number written in the plain way.
func whole(id string) (int64, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == id
}

// alike reports whether two ids that differ as bytes could be the same to a
// plugin that converts them: a string and a number, a number written otherwise or
// rounded.
func alike(a, b json.RawMessage) bool {
	x, err1 := strconv.ParseFloat(strings.Trim(string(a), `"`), 64)
	y, err2 := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err1 == nil && err2 == nil {
		return x == y || int64(x) == int64(y)
	}
	return strings.Trim(string(a), `"`) == strings.Trim(string(b), `"`)
}
