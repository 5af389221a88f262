// SPDX-License-Identifier: Apache-2.0

// Empty: the compiler accepts functions without a body (internals.go) only in a package that has assembly.
