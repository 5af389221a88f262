// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"time"

	"k8s.io/kubernetes/pkg/scheduler/framework"

	"refsched/recorder/harness"
	"refsched/recorder/minor"
)

// maxBatchAge is that of framework/runtime/batch.go.
const maxBatchAge = 500 * time.Millisecond

// batches puts the age of what OpportunisticBatching keeps (framework/runtime/batch.go, OpportunisticBatch) on
// the session's clock: the scheduler reads the real one, by which the requests of a driver come as they come.
type batches struct {
	session *harness.Session
	made    map[string]made // by the name of the profile
}

// made is when a batch was: by the session's clock, and what stands in the batch since.
type made struct{ at, stands time.Time }

// age makes a batch either too old for the scheduler, or not. It comes before each scheduling cycle.
func (b *batches) age(profile framework.Framework) {
	last := b.made[profile.ProfileName()]
	last.stands = time.Time{}
	if b.session.Clock().Now().Sub(last.at) <= maxBatchAge {
		last.stands = time.Now().Add(time.Hour)
	}
	if created := batchCreated(profile); created != nil {
		*created = last.stands
	}
	b.made[profile.ProfileName()] = last
}

// note keeps when a new batch was made. It comes after each scheduling cycle.
func (b *batches) note(profile framework.Framework) {
	created := batchCreated(profile)
	if created != nil && !created.Equal(b.made[profile.ProfileName()].stands) {
		b.made[profile.ProfileName()] = made{at: b.session.Clock().Now()}
	}
}

// batchCreated is the time in the batch that a profile keeps; nil where it keeps none.
func batchCreated(profile framework.Framework) *time.Time {
	if !minor.Batches {
		return nil
	}
	if recording, ok := profile.(*recordingFramework); ok {
		profile = recording.Framework.Framework
	}
	batch := harness.Unexported(profile, "batch")
	if batch.IsNil() {
		return nil
	}
	state := batch.Elem().FieldByName("state")
	if state.IsNil() {
		return nil
	}
	return (*time.Time)(state.Elem().FieldByName("creationTime").Addr().UnsafePointer())
}
