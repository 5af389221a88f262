// SPDX-License-Identifier: Apache-2.0

package wiretest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

type line = map[string]any

// Replay replays the recordings of a pattern, in which the scheduler has nothing to choose: every record must
// come again.
func (w *World) Replay(pattern string) {
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		w.Fatalf("no recordings: %v", err)
	}
	for _, path := range paths {
		w.replay(path, readTrace(w.T, path))
	}
}

func (w *World) replay(path string, trace []line) {
	config, _ := json.Marshal(trace[0]["config"])
	w.Reset(string(config), "")
	var caused []any // what the last request caused and the trace has not shown yet
	for n, want := range trace[1:] {
		delete(want, "at")
		member := ""
		for member = range want {
		}
		switch member {
		case "queues", "nodes":
			if len(caused) > 0 {
				w.Fatalf("%s:%d: unseen before: %v", path, n+2, caused)
			}
			observed := w.send(line{"observe": line{}})
			if !contains(observed, want) {
				w.Fatalf("%s:%d\n got  %v\n want %v", path, n+2, observed, want)
			}
			continue
		case "attempt":
			if len(caused) == 0 {
				caused = w.send(line{"schedule": line{}})
			}
		case "create", "update", "delete", "advance", "permit", "release":
			if len(caused) == 0 {
				caused = w.send(want)
				continue
			}
		}
		if len(caused) == 0 || !reflect.DeepEqual(caused[0], any(want)) {
			w.Fatalf("%s:%d\n got  %v\n want %v", path, n+2, caused, want)
		}
		caused = caused[1:]
	}
	if len(caused) > 0 {
		w.Fatalf("%s: after the end: %v", path, caused)
	}
}

func (w *World) send(request line) []any {
	w.Helper()
	text, _ := json.Marshal(request)
	var answer struct {
		Records []any
		Error   string
		Idle    bool
	}
	if err := json.Unmarshal([]byte(w.Ask(string(text))), &answer); err != nil {
		w.Fatal(err)
	}
	if answer.Error != "" || answer.Idle {
		w.Fatalf("%s: %+v", text, answer)
	}
	return answer.Records
}

func contains(records []any, want line) bool {
	for _, record := range records {
		if reflect.DeepEqual(record, any(want)) {
			return true
		}
	}
	return false
}

func readTrace(t *testing.T, path string) []line {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var trace []line
	for lines := bufio.NewScanner(unzipped); lines.Scan(); {
		var record line
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		trace = append(trace, record)
	}
	return trace
}
