// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Protocol is the version of the protocol that this package speaks.
const Protocol = 1

// Identity answers hello.
type Identity struct {
	Name         string   `json:"name"`
	Version      string   `json:"version"`
	Kubernetes   string   `json:"kubernetes"`
	Capabilities []string `json:"capabilities"`
	// Plugins are all that it has, where some are not Kubernetes' own.
	Plugins []string `json:"plugins,omitempty"`
}

// Reset asks for an empty cluster at time 0.
type Reset struct {
	Config       json.RawMessage `json:"config"`
	FeatureGates map[string]bool `json:"featureGates"`
	Start        string          `json:"start"`
}

// Decision says what became of a pod that waits on Permit.
type Decision struct {
	Pod      string `json:"pod"`
	Decision string `json:"decision"`
	Plugin   string `json:"plugin"`
}

// Answer is what a request caused.
type Answer struct {
	Records []Record
	// Held is set where a scripted plugin began to hold a pod during the request.
	Held *Held
	// Idle answers schedule where Pop would block.
	Idle bool
}

// MarshalJSON writes the answer as the protocol has it.
func (a Answer) MarshalJSON() ([]byte, error) {
	if a.Idle {
		return []byte(`{"idle":true}`), nil
	}
	records := a.Records
	if records == nil {
		records = []Record{}
	}
	var out bytes.Buffer
	err := encode(&out, struct {
		Records []Record `json:"records"`
		Held    *Held    `json:"held,omitempty"`
	}{records, a.Held})
	return out.Bytes(), err
}

// Unsupported is the error of a request that this scheduler cannot carry out.
type Unsupported struct{ Why string }

func (u Unsupported) Error() string { return u.Why }

// Scheduler is what a recorder puts behind the protocol. Each method is one
// request; they are called one at a time.
type Scheduler interface {
	Identity() Identity
	Reset(Reset) error
	Create(object json.RawMessage) (Answer, error)
	Update(object json.RawMessage) (Answer, error)
	Delete(Reference) (Answer, error)
	Advance(seconds float64) (Answer, error)
	Permit(Decision) (Answer, error)
	Release(pod string) (Answer, error)
	Schedule(pod string) (Answer, error)
	Observe() (Answer, error)
}

// Serve answers one request a line until in ends.
func Serve(in io.Reader, out io.Writer, s Scheduler) error {
	lines := bufio.NewReaderSize(in, 1<<20)
	answers := bufio.NewWriter(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := encode(answers, Handle(s, line)); err != nil {
				return err
			}
			if err := answers.Flush(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Handle answers one request. What it returns marshals to the answer.
func Handle(s Scheduler, line []byte) any {
	answer, err := dispatch(s, line)
	var unsupported Unsupported
	switch {
	case errors.As(err, &unsupported):
		return map[string]string{"unsupported": unsupported.Why}
	case err != nil:
		return map[string]string{"error": err.Error()}
	}
	return answer
}

func dispatch(s Scheduler, line []byte) (any, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return nil, fmt.Errorf("request is not a JSON object: %w", err)
	}
	if len(members) != 1 {
		return nil, fmt.Errorf("a request has one member, this has %d: %q", len(members), slices.Sorted(maps.Keys(members)))
	}
	for name, body := range members {
		handle, known := handlers[name]
		if !known {
			return nil, fmt.Errorf("unknown request %q", name)
		}
		return handle(s, body)
	}
	panic("unreachable: a map of length one has a member")
}

type handler func(Scheduler, json.RawMessage) (any, error)

var handlers = map[string]handler{
	"hello": with(func(s Scheduler, hello struct {
		Protocol int `json:"protocol"`
	}) (Identity, error) {
		if hello.Protocol != Protocol {
			return Identity{}, fmt.Errorf("protocol %d is asked for, this speaks %d", hello.Protocol, Protocol)
		}
		return s.Identity(), nil
	}),
	"reset": with(func(s Scheduler, reset Reset) (struct{}, error) {
		return struct{}{}, s.Reset(reset)
	}),
	"create":  with(Scheduler.Create),
	"update":  with(Scheduler.Update),
	"delete":  with(Scheduler.Delete),
	"advance": with(Scheduler.Advance),
	"permit":  with(Scheduler.Permit),
	"release": with(func(s Scheduler, release struct {
		Pod string `json:"pod"`
	}) (Answer, error) {
		return s.Release(release.Pod)
	}),
	"schedule": with(func(s Scheduler, schedule struct {
		Pod string `json:"pod"`
	}) (Answer, error) {
		return s.Schedule(schedule.Pod)
	}),
	"observe": with(func(s Scheduler, _ struct{}) (Answer, error) { return s.Observe() }),
}

// with reads a request's body into the type that its method takes.
func with[Body, Result any](method func(Scheduler, Body) (Result, error)) handler {
	return func(s Scheduler, raw json.RawMessage) (any, error) {
		var body Body
		if err := json.Unmarshal(raw, &body); err != nil {
			return nil, fmt.Errorf("the request's body: %w", err)
		}
		return method(s, body)
	}
}

// encode leaves <, > and & as they are: messages of the scheduler contain them.
func encode(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
