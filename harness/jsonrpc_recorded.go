package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"plugcheck/reports"
	"plugcheck/validator"
	"plugcheck/validator/rpc"
)

// Recorded judges a conversation that was recorded: the rules look at it as at one
// of their own, and no plugin is started.
func Recorded(path string, file io.Reader, o Options) (*reports.Report, error) {
	catalogue, err := BuiltIn()
	if err != nil {
		return nil, err
	}
	selected, err := catalogue.choose(o)
	if err != nil {
		return nil, err
	}
	report := newReport(o)
	start := time.Now()
	conv, err := readConversation(path, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &session{target: &Target{Path: path, Wire: jsonrpcWire.name}, options: o, catalogue: catalogue, wire: &jsonrpcWire, runs: map[int]*scenarioRun{}}
	if who := conv.Identity(); who != nil {
		s.target.Name, s.target.Version = who.Name, who.Version
	}
	driver := &recorded{session: s}
	s.driver = driver
	s.begin(contact, nil).record("in the recording", &recording{conv}, validator.Judge(rpc.Rules(), conv), nil, o.Examples)
	driver.judgeCalls(conv)
	report.Plugins = append(report.Plugins, s.report(catalogue.ofWire(selected, s.wire.name)))
	report.DurationMS = time.Since(start).Milliseconds()
	report.Settle(o.Gate)
	return report, nil
}

// recorded is the driver of a session in which nothing is driven.
type recorded struct{ *session }

func (*recorded) ready(context.Context) (string, error)         { return "", nil }
func (*recorded) scenario(*scenario) any                        { return nil }
func (*recorded) static() ([]validator.Outcome, []reports.Line) { return nil, nil }
func (*recorded) unjudged(*Check) string                        { return "" }
func (*recorded) close() error                                  { return nil }

// callChecks are the scenarios whose stimulus a recording holds by itself.
var callChecks = map[string]string{"rpc.tool.answers": rpc.ToolCall, "rpc.command.answers": rpc.CommandInvoke}

// judgeCalls judges whether what was asked in the recording was answered.
func (r *recorded) judgeCalls(conv *rpc.Conversation) {
	for id, method := range callChecks {
		k, ok := r.catalogue.Find(id)
		judged, found := conv.Neglected(method, DefaultLimit)
		if !ok || judged == 0 {
			continue
		}
		run := r.begin(k.order, k)
		run.finished, run.exchanges = true, judged
		if len(found) > 0 {
			run.outcome = &outcome{finding: found[0], cause: causes[found[0].Class], seen: &recording{conv}}
		}
	}
}

// concerns leaves out what a recording cannot show: what was not done in it.
func (r *recorded) concerns(k *Check) *outcome {
	run := r.runs[contact]
	switch {
	case r.runs[k.order] != nil:
		return nil
	case callChecks[k.ID] != "":
		return skip("no call of this kind in the recording can be judged")
	case !k.IsRule():
		return skip("a recording is judged, so nothing is tried: plugcheck run does")
	case k.Static:
		return skip("a recording is judged, and not what stands on disk")
	case k.ID == r.wire.orphans:
		return skip("a recording does not show what the plugin left running")
	case run.verdicts[k.ID] == nil:
		return skip("nothing in the recording is what this check looks at")
	}
	return nil
}

// readConversation makes a conversation of a transcript file. The pieces of a
// stream need not be lines.
func readConversation(name string, file io.Reader) (*rpc.Conversation, error) {
	conv := rpc.New(name, nil)
	parts := map[validator.Source][]byte{}
	at := time.Duration(0)
	var exit *validator.Exit
	err := reports.ReadLines(file, func(l reports.Line) error {
		at = time.Duration(l.MS * float64(time.Millisecond))
		switch from := validator.Source(l.From); from {
		case validator.FromHost, validator.FromPlugin:
			text := append(parts[from], l.Data...)
			for {
				line, rest, whole := bytes.Cut(text, []byte("\n"))
				if !whole {
					break
				}
				conv.Add(at, from, line)
				text = rest
			}
			parts[from] = text
		case validator.FromStderr:
			conv.Note(at, from, []byte(l.Data))
		case validator.FromMark:
			signal, sent := strings.CutPrefix(l.Data, rpc.MarkSent)
			switch {
			case sent:
				conv.Signal(at, signal)
			case l.Data == rpc.MarkClosed:
				conv.CloseStdin(at)
			}
		case validator.FromExit:
			e, err := validator.ParseExit(l.Data)
			exit = &e
			return err
		default:
			return fmt.Errorf("%q is none of host, plugin, stderr, mark and exit", l.From)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if rest := parts[validator.FromPlugin]; len(rest) > 0 && (exit == nil || exit.Ended == "" && exit.Signal == "") { // or it was cut by that
		conv.AddRest(at, validator.FromPlugin, rest)
	}
	if exit != nil {
		conv.Leave(at, *exit)
	}
	if !conv.Spoke() {
		return nil, errors.New("the plugin says nothing in it: it is no recording of a JSON-RPC plugin")
	}
	return conv, nil
}

// recording is what a report shows of a recorded conversation.
type recording struct{ conv *rpc.Conversation }

func (r *recording) transcript() []reports.Line { return shownConversation(r.conv) }
func (r *recording) sent() []byte               { return nil }
