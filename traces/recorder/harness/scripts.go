// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"refsched/recorder/wire"
)

const (
	// scriptAnnotation says what scripted plugins answer for a pod.
	scriptAnnotation = "refsched.dev/script"
	// ScriptedReason is what a scripted plugin gives as its reason.
	ScriptedReason = "scripted"
)

// script is plugin → point → answer.
type script map[string]map[string]string

var scriptedPoints = map[string][]string{
	"ScriptedA":      {"reserve", "permit", "preBind"},
	"ScriptedB":      {"reserve", "permit", "preBind"},
	"ScriptedBinder": {"bind"},
}

// protocolCodes are those that a script may name. A version that does not have one cannot play it.
var protocolCodes = []string{"Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Wait", "Skip", "Pending"}

// Answer is what a script says for one plugin and point.
type Answer struct {
	Code       string
	Patience   time.Duration // of Wait
	AfterBound bool          // bind, and then answer the code all the same
	Silent     bool          // nothing is said, or no code
	hold       bool
}

// readScript reads a pod's script, and refuses one that says what no plugin can do.
func (version *Version) readScript(pod *v1.Pod) (script, error) {
	text, has := pod.Annotations[scriptAnnotation]
	if !has {
		return nil, nil
	}
	var read script
	decoder := json.NewDecoder(bytes.NewBufferString(text))
	if err := decoder.Decode(&read); err != nil {
		return nil, fmt.Errorf("pod %s: annotation %s: %w", PodName(pod), scriptAnnotation, err)
	}
	for plugin, points := range read {
		for point, text := range points {
			if err := version.checkEntry(plugin, point, text); err != nil {
				return nil, fmt.Errorf("pod %s: annotation %s: %s.%s: %w", PodName(pod), scriptAnnotation, plugin, point, err)
			}
		}
	}
	return read, nil
}

func (version *Version) checkEntry(plugin, point, text string) error {
	for _, known := range scriptedPoints[plugin] {
		if known != point {
			continue
		}
		entry, err := version.readAnswer(text)
		switch {
		case err != nil:
			return err
		case entry.Code == "Wait" && point != "permit":
			return fmt.Errorf("only permit can answer Wait")
		case entry.AfterBound && point != "bind":
			return fmt.Errorf("only bind can answer ErrorAfterBound")
		}
		return nil
	}
	return fmt.Errorf("there is no such plugin and point")
}

// readAnswer reads CODE, Wait, Wait:SECONDS, Hold, Hold:ANSWER and ErrorAfterBound.
func (version *Version) readAnswer(text string) (Answer, error) {
	name, rest, more := strings.Cut(text, ":")
	switch {
	case name == "Hold" && !more:
		return Answer{hold: true, Silent: true}, nil
	case name == "Hold":
		held, err := version.readAnswer(rest)
		held.hold = true
		return held, err
	case name == "Wait" && more:
		seconds, err := strconv.ParseFloat(rest, 64)
		if err != nil || seconds < 0 {
			return Answer{}, fmt.Errorf("%q does not say how many seconds to wait", text)
		}
		return Answer{Code: "Wait", Patience: time.Duration(seconds * float64(time.Second))}, nil
	case text == "Wait":
		return Answer{Code: "Wait", Patience: MaxPermit}, nil
	case text == "ErrorAfterBound":
		return Answer{Code: "Error", AfterBound: true}, nil
	}
	switch {
	case slices.Contains(version.Codes, text):
		return Answer{Code: text}, nil
	case slices.Contains(protocolCodes, text):
		return Answer{}, wire.Unsupported{Why: fmt.Sprintf("plugins of Kubernetes %s do not answer %s", version.Kubernetes, text)}
	}
	return Answer{}, fmt.Errorf("%q is no answer", text)
}

// Play notes a call to a scripted plugin, holds it where the script says so, and gives the answer.
func (c *Cycle) Play(plugin, point string, pod *v1.Pod) Answer {
	c.Called(plugin, point)
	read, err := c.Session.version.readScript(pod)
	if err != nil {
		Fault("a script that was refused was stored: %v", err)
	}
	text, has := read[plugin][point]
	if !has {
		return Answer{Silent: true}
	}
	entry, err := c.Session.version.readAnswer(text)
	if err != nil {
		Fault("a script that was refused was stored: %v", err)
	}
	if entry.hold {
		c.Session.hold(c, wire.Held{Pod: PodName(pod), Point: point, Plugin: plugin})
	}
	return entry
}
