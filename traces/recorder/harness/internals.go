// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"reflect"
	"unsafe"
)

// Unexported is a field of the struct that object points to. A field that is not there, in a
// version that its caller was not read against, stops the program when the scheduler is made.
func Unexported(object any, name string) reflect.Value {
	value := reflect.ValueOf(object).Elem().FieldByName(name)
	if !value.IsValid() {
		Fault("%T has no field %s: the recorder is for another version", object, name)
	}
	return value
}

// Exposed reads an addressable field that reflect would not hand out.
func Exposed(field reflect.Value) any {
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Interface()
}
