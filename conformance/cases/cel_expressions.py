# SPDX-License-Identifier: Apache-2.0
"""CEL expressions that select devices, by what they come to for one device: each part of the language is used.

A request with many true ones finds the device only if each of them is evaluated rightly.
"""

from __future__ import annotations

from typing import Any

from conformance.vocabulary.devices import DRIVER

A = f"device.attributes['{DRIVER}']"
C = f"device.capacity['{DRIVER}']"

DEVICE: dict[str, Any] = {
    "name": "all-sorts",
    "attributes": {
        "model": {"string": "Ab"},
        "numa": {"int": 1},
        "ecc": {"bool": True},
        "version": {"version": "1.2.3"},
        "shared.com/x": {"int": 7},
    },
    "capacity": {"memory": {"value": "16Gi"}, "cores": {"value": "8"}, "milli": {"value": "1500m"}},
}

_TRUE_FIELDS = (
    f"device.driver == '{DRIVER}' && !device.allowMultipleAllocations",
    f"{A}.ecc && {A}.numa == 1 && {A}.model == 'Ab' && {A}.numa != 2 && {A}['numa'] == 1",
    "device.attributes['shared.com'].x == 7 && device.attributes['nobody.org'].size() == 0",
    "device.attributes.size() == 2 && size(device.capacity) == 1",
    f"'numa' in {A} && !('nope' in {A}) && '{DRIVER}' in device.attributes && !('no.org' in device.attributes)",
    f"{A}.exists(k, k == 'numa') && {A}.all(k, k != 'x') && !{A}.all(k, k == 'numa')",
    f"has({A}.ecc) && !has({A}.nope) && has(device.driver) && has({{'a': {{'b': 1}}}}.a.b)",
)
_TRUE_COMPARISONS = (
    f"{A}.numa == 1.0 && {A}.numa == 1u && {A}.numa != 'a' && {A}.model != 1 && {A}.ecc != 1",
    f"{A}.numa < 2 && {A}.numa < 1.5 && {A}.numa <= 1 && {A}.numa >= 1u && {A}.model < 'B' && !({A}.numa > 1)",
    "1 < 2.5 && 1u < 2 && 'a' < 'b' && false < true && 2 >= 2 && 2 <= 2 && b'a' < b'b' && 2 > 1 && !(2 < 2)",
    f"{A}.numa + 1 == 2 && {A}.model + 'c' == 'Abc' && [{A}.numa] + [{A}.numa] == [1, 1]",
    "1 + 2 * 3 == 7 && 2 - 1 - 1 == 0 && (1 + 2) * 3 == 9 && 10 - 2 * 3 == 4",
    "7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1 && 7 % -3 == 1 && -(1) == -1 && - 1.5 == -1.5 && 7 / -2 == -3",
    "7.0 / 2.0 == 3.5 && 1.5 * 2.0 == 3.0 && 1.5 - 1.0 == 0.5 && 1.0 / 0.0 > 1.0 && -1.0 / 0.0 < 0.0",
    "0.0 / 0.0 != 0.0 / 0.0 && 3u + 4u == 7u && 7u / 2u == 3u && 7u % 4u == 3u && 4u - 4u == 0u",
    "9223372036854775807 - 1 == 9223372036854775806 && 18446744073709551615u - 1u == 18446744073709551614u",
    "'a' + 'b' == 'ab' && [1] + [2] == [1, 2] && b'a' + b'b' == b'ab'",
)
_TRUE_EQUALITY = (
    "dyn(1) == 1.0 && dyn('1') != 1 && null == null && dyn(1) != null && dyn(null) == null",
    "[[1], [2]] == [[1], [2]] && [1] != [1, 2] && [1, 2] != [1, 3] && [1] == [dyn(1.0)]",
    "{'a': 1} == {'a': 1} && {'a': 1} != {'b': 1} && {'a': 1} != {'a': 2} && {'a': 1} != {'a': 1, 'b': 2}",
    "!false && !!true && (false ? false : true) && (true ? true : false)",
    f"{A}.ecc ? true : false",
    "(dyn('x') || true) && !(false && dyn('x')) && (true || dyn('x')) && !(dyn('x') && false)",
    f"({A}.nope == 1 || true) && !({A}.nope == 1 && false)",
    "[1, 2][1] == 2 && {'a': 1}['a'] == 1 && {'a': 1}.a == 1 && {1: 'a'}[1] == 'a' && [1, 2][dyn(1.0)] == 2",
    "!(dyn(true) in {1: 1}) && 1 in {1: 1} && null != quantity('1') && quantity('1') != null",
    "1 in [2, 1] && !(3 in [1, 2]) && 'a' in {'a': 1} && !('b' in {'a': 1}) && 1 in [dyn(1.0)]",
    "quantity('1Gi') == quantity('1024Mi') && semver('1.0.0') == semver('1.0.0+build')",
    ".5 == 0.5 && 1.5e3 == 1500.0 && 0xFF == 255 && 0x1u == 1u && 0x10 == 16 && -9223372036854775808 < 0",
    r"'\n' == '\u000a' && '\x41' == 'A' && '\101' == 'A' && '\U00000041' == 'A' && '\"' == '\"' && '\?' == '?'",
    r"r'\n' == '\\n' && '''a''' == 'a' && '''it's''' == 'it\'s' && R'a' == 'a'",
    "true // what follows is a comment",
)
_TRUE_MACROS = (
    "[1, 2].all(x, x > 0) && ![1, 2].all(x, x > 1) && [].all(x, false) && [0, 2].exists(x, 2 / x == 1)",
    "[1, 2].exists(x, x / (x - 1) == 2) && ![].exists(x, true) && ![1, 2].exists(x, x > 2)",
    "[1, 2].exists_one(x, x > 1) && ![1, 2].exists_one(x, x > 0) && ![1].exists_one(x, x > 1)",
    "[1, 2].map(x, x * 2) == [2, 4] && [1, 2, 3].map(x, x > 1, x * 2) == [4, 6]",
    "[1, 2, 3].filter(x, x > 1) == [2, 3] && {'a': 1}.all(k, k == 'a') && {'a': 1}.map(k, k) == ['a']",
    f"cel.bind(g, {A}, g.numa == 1 && g.ecc) && cel.bind(x, 1, cel.bind(y, 2, x < y))",
    "[1].all(x, [2].all(y, x < y)) && [0].all(x, 'ab'.substring(x, 1) == 'a')",
)
_TRUE_OPTIONALS = (
    f"{A}.?ecc.orValue(false) && {A}.?nope.orValue(true) && !{A}.?nope.hasValue() && {A}.?numa.hasValue()",
    f"{A}.?nope.?deeper.orValue(1) == 1 && !{A}.numa.?x.hasValue() && {A}[?'model'].orValue('z') == 'Ab'",
    f"{A}[?'nope'].orValue('z') == 'z' && device.attributes[?'{DRIVER}'].ecc.orValue(false)",
    f"device.attributes[?'{DRIVER}']['ecc'].value() && device.attributes[?'nobody.org'].hasValue()",
    "optional.of(1).orValue(1 / dyn(0)) == 1",
    "optional.of(1).value() == 1 && !optional.none().hasValue() && optional.of(1) != optional.of(2)",
    "!optional.ofNonZeroValue(0).hasValue() && optional.ofNonZeroValue('a').value() == 'a'",
    f"{A}.?nope.or({A}.?numa).value() == 1 && optional.of(1).or(optional.of(2)).value() == 1",
    f"{A}.?numa.optMap(x, x + 1).orValue(0) == 2 && !{A}.?nope.optMap(x, x).hasValue()",
    f"{A}.?numa.optFlatMap(x, optional.of(x)).value() == 1 && !{A}.?nope.optFlatMap(x, optional.of(x)).hasValue()",
    f"{A}.?model == optional.of('Ab') && optional.none() == optional.none() && {A}.?nope != optional.of(1)",
    "[?optional.of(1), ?optional.none(), 3] == [1, 3] && [[1], [2]][?1].value() == [2]",
    "[1, 2][?5].orValue(9) == 9 && [1, 2][?1].orValue(9) == 2 && ['.?x', '[?y'].size() == 2",
    f"[{{'a': [1]}}][?0].a[0].value() == 1 && ({A}.?numa).hasValue()",
    "([?optional.of(1), ([?optional.none(), 2]).size()]).size() == 2 && {'a': [?optional.none(), 3]}.a == [3]",
    "(([1, 2][?[0, 1][?1].orValue(0)]).orValue(9)) == 2 && [[?optional.of(1)].size(), 2] == [1, 2]",
)
_TRUE_QUANTITIES_AND_VERSIONS = (
    f"{C}.memory.compareTo(quantity('16Gi')) == 0 && {C}.memory.compareTo(quantity('17Gi')) < 0",
    f"{C}.milli.asApproximateFloat() == 1.5 && !{C}.milli.isInteger() && {C}.cores.asInteger() == 8",
    f"{C}.cores.add(2) == quantity('10') && {C}.cores.sub(quantity('1')) == quantity('7') && sign({C}.cores) == 1",
    f"{C}.cores.add(quantity('1')) == quantity('9') && {C}.cores.sub(1) == quantity('7') && {C}.cores.isInteger()",
    f"{C}.cores.isLessThan(quantity('9')) && {C}.cores.isGreaterThan(quantity('7')) && sign(quantity('0')) == 0",
    f"!{C}.cores.isLessThan(quantity('8')) && !{C}.cores.isGreaterThan(quantity('8'))",
    "sign(quantity('-1')) == -1 && isQuantity('1Gi') && !isQuantity('x')",
    "isSemver('1.2.3') && !isSemver('v1.2')",
    f"{A}.version.major() == 1 && {A}.version.minor() == 2 && {A}.version.patch() == 3",
    f"{A}.version.isLessThan(semver('1.10.0')) && {A}.version.compareTo(semver('1.2.3')) == 0",
    f"!{A}.version.isLessThan(semver('1.2.3')) && !{A}.version.isGreaterThan(semver('1.2.3'))",
    f"{A}.version.isGreaterThan(semver('1.2.3-rc.1')) && {A}.version == semver('1.2.3')",
    "semver('1.0.0-alpha.1').isLessThan(semver('1.0.0-alpha.beta')) && semver('1.0.0-a.b') != semver('1.0.0-a')",
    "semver('1.0.0-2').isLessThan(semver('1.0.0-11')) && semver('1.0.0-a').isLessThan(semver('1.0.0'))",
    "semver('1.0.0-a').isLessThan(semver('1.0.0-a.1')) && semver('1.0.0-1').isLessThan(semver('1.0.0-a'))",
    "semver('v1.2', true) == semver('1.2.0') && semver('01.2.3', true) == semver('1.2.3')",
    "semver('1', true) == semver('1.0.0') && isSemver('v1.2', true) && !isSemver('1.2-a', true)",
    "!isSemver('') && !isSemver('1.2') && !isSemver('a.2.3') && !isSemver('1.02.3') && !isSemver('1..3')",
    "!isSemver('1.2.99999999999999999999') && !isSemver('1.2.3-') && !isSemver('1.2.3-01') && isSemver('1.2.3-0')",
    "!isSemver('1.2.3+') && !isSemver('1.2.3+a..b') && !isSemver('1.2.3-a_b') && isSemver('1.2.3-a-b+c.0')",
)
_TRUE_STRINGS = (
    f"{A}.model.lowerAscii() == 'ab' && {A}.model.upperAscii() == 'AB' && ' a '.trim() == 'a'",
    f"{A}.model.startsWith('A') && {A}.model.endsWith('b') && !{A}.model.startsWith('b')",
    f"{A}.model.contains('b') && {A}.model.matches('^A') && {A}.model.matches('b') && !{A}.model.matches('^b')",
    "'a,b'.split(',') == ['a', 'b'] && 'ab'.split('') == ['a', 'b'] && 'aba'.replace('a', 'c') == 'cbc'",
    "'abc'.substring(1) == 'bc' && 'abc'.substring(1, 2) == 'b' && 'abc'.substring(3) == ''",
    "'abc'.charAt(1) == 'b' && 'abc'.charAt(3) == '' && 'abc'.charAt(0) == 'a' && 'abc'.substring(1, 1) == ''",
    "'abca'.indexOf('a') == 0 && 'abca'.lastIndexOf('a') == 3 && 'abc'.indexOf('x') == -1",
    "[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(3) == -1",
    "[1].lastIndexOf(3) == -1 && ['a', 'b'].join('-') == 'a-b'",
    "['a', 'b'].join() == 'ab' && 'abc'.lastIndexOf('x') == -1",
)
_TRUE_LISTS = (
    "[3, 1, 2].min() == 1 && [3, 1, 2].max() == 3 && [1, 3, 2].min() == 1 && ['b', 'a'].max() == 'b'",
    "[[1], [2]].all(x, x.size() == 1) && cel.bind(s, 'ab', s.startsWith('a'))",
    "dyn({'a': true}) != dyn({'a': 1}) && dyn([true]) != dyn([1]) && {'a': [dyn(1)]} == {'a': [dyn(1.0)]}",
    "[1, 2, 3].max() == 3 && [3, 2, 1].min() == 1",
    "[1, 2].sum() == 3 && [1, 2].isSorted() && ![2, 1].isSorted() && ![1, 3, 2].isSorted() && [1, 1].isSorted()",
    "sets.contains([1, 2], [1]) && !sets.contains([1], [1, 2]) && sets.contains([1], [])",
    "sets.equivalent([1, 2], [2, 1]) && !sets.equivalent([1, 2], [1]) && !sets.equivalent([1], [1, 2])",
    "sets.intersects([1], [1, 3]) && !sets.intersects([1], [2, 3]) && sets.intersects([1, 3], [3])",
    "size('äb') == 2 && size(b'äb') == 3 && [1].size() == 1 && {'a': 1}.size() == 1 && 'ab'.size() == 2",
)
_TRUE_CONVERSIONS = (
    "int(3.7) == 3 && int('5') == 5 && int(5u) == 5 && int(5) == 5 && int(-3.7) == -3",
    "uint(5) == 5u && uint(5u) == 5u && uint('5') == 5u && uint(3.7) == 3u",
    "double('1.5') == 1.5 && double(1) == 1.0 && double(2.5) == 2.5 && double(3u) == 3.0",
    "bool('true') && !bool('0') && bool(true) && bool('t') && !bool('FALSE') && !bool(false)",
    "string(1.0) == '1' && string(1.5) == '1.5' && string(true) == 'true' && string(false) == 'false'",
    "string(1u) == '1' && string(b'a') == 'a' && string('a') == 'a' && string(-1) == '-1'",
    "string(1e6) == '1e+06' && string(1234567.5) == '1.2345675e+06' && string(123456.5) == '123456.5'",
    "string(1e5) == '100000' && string(0.0001) == '0.0001' && string(1e-5) == '1e-05' && string(-0.0) == '-0'",
    "string(0.0 / 0.0) == 'NaN' && string(1.0 / 0.0) == '+Inf' && string(-1.0 / 0.0) == '-Inf'",
    "bytes('a') == b'a' && bytes(b'a') == b'a' && b'a' != b'b'",
    f"type(1) == int && type({A}.version) == type(semver('1.0.0')) && type(1) != string && type(1u) == uint",
    "int == int && type(int) == type && type('a') != int && type(null) == null_type && type([1]) == list",
    "type({}) == map && type(1.0) == double && type(b'') == bytes && type(true) == bool",
)
TRUE = {
    "fields": _TRUE_FIELDS,
    "comparisons": _TRUE_COMPARISONS,
    "equality": _TRUE_EQUALITY,
    "macros": _TRUE_MACROS,
    "optionals": _TRUE_OPTIONALS,
    "quantities_and_versions": _TRUE_QUANTITIES_AND_VERSIONS,
    "strings": _TRUE_STRINGS,
    "lists": _TRUE_LISTS,
    "conversions": _TRUE_CONVERSIONS,
}
"""Expressions that hold for the device, by what they use."""

_ERRORS_ARITHMETIC = (
    "1 / dyn(0) == 1",
    "1 % dyn(0) == 1",
    "9223372036854775807 + dyn(1) == 0",
    "-9223372036854775808 - dyn(1) == 0",
    "-(dyn(-9223372036854775808)) == 0",
    "0u - dyn(1u) == 0u",
    "18446744073709551615u + dyn(1u) == 0u",
)
_ERRORS_OTHER_TYPES = (
    f"{A}.nope == 1",
    f"{A}.nope == 1 && true",
    f"{A}.nope == 1 || false",
    f"{A}.numa.deeper == 1",
    f"{A}.numa + 'a' == 'b'",
    f"{A}.numa + 1.0 == 2.0",
    f"{A}.ecc + 1 == 2",
    f"{A}.model - 1 == 0",
    f"{A}.numa < 'a'",
    f"{A}.model < 1",
    f"{A}.ecc < 1",
    f"{A}.version < {A}.version",
    f"{A}.version == '1.2.3'",
    f"{C}.memory == dyn('16Gi')",
    f"!{A}.numa",
    f"-{A}.ecc == 1",
    f"{A}.numa ? true : false",
    "dyn('x') || false",
    "dyn('x') && true",
    f"{A}.nope || dyn('x')",
    f"{A}.model",
    f"{A}.numa",
    f"{A}.version",
)
_ERRORS_INDEXES = (
    "[1][dyn(5)] == 1",
    "[1][dyn(1)] == 1",
    "[1][dyn(-1)] == 1",
    "[1][dyn(0.5)] == 1",
    "[1][dyn(0.0 / 0.0)] == 1",
    "[1][dyn(1.0 / 0.0)] == 1",
    "[1][dyn(1e19)] == 1",
    "[1][dyn(5.0)] == 1",
    "{1: 1}[dyn(1000000.5)] == 1",
    "[1][dyn('a')] == 1",
    "{'a': 1}[dyn('b')] == 1",
    "dyn([1]).a == 1",
    "dyn(1) in dyn(2)",
    "dyn(1).all(x, true)",
    f"{A}.?nope.value() == 1",
    f"{A}.numa.hasValue()",
    f"{A}.?nope.orValue(1 / dyn(0)) == 1",
)
_ERRORS_CONVERSIONS = (
    f"int({A}.model) == 1",
    f"uint({A}.model) == 1u",
    f"double({A}.model) == 1.0",
    f"bool({A}.model)",
    f"int({A}.ecc) == 1",
    f"double({A}.ecc) == 1.0",
    f"bool({A}.numa)",
    f"string({A}.version) == ''",
    f"bytes({A}.numa) == b''",
    f"uint(-{A}.numa) == 1u",
)
_ERRORS_FUNCTIONS = (
    f"{A}.numa.size() == 1",
    f"{A}.numa.startsWith('a')",
    f"{A}.model.startsWith({A}.numa)",
    f"{A}.model.matches({A}.numa)",
    f"{A}.numa.matches('a')",
    "dyn(b'a').matches('a')",
    "'a'.matches(dyn(b'a'))",
    f"{A}.numa.join() == ''",
    "[dyn(1)].join('-') == '1'",
    "['a', dyn(1)].join() == 'a'",
    "['a', 'b'].join(dyn(1)) == 'a1b'",
    f"{A}.model.replace('A', {A}.numa) == ''",
    f"{A}.model.split({A}.numa).size() == 1",
    f"{A}.model.contains({A}.ecc)",
    f"{A}.numa.trim() == ''",
    f"{A}.model.indexOf({A}.numa) == 0",
    f"{A}.numa.lastIndexOf('a') == 0",
    f"{A}.numa.substring(0) == ''",
    f"{A}.numa.charAt(0) == ''",
    f"{A}.model.substring(2, 1) == ''",
    f"{A}.model.substring(3) == ''",
    f"{A}.model.substring(0, 3) == ''",
    f"{A}.model.substring(-{A}.numa) == ''",
    f"{A}.model.charAt(3) == ''",
    f"{A}.model.charAt(dyn('a')) == ''",
    "[].max() == 1",
    f"{A}.model.isSorted()",
    f"{A}.model.max() == 'b'",
    f"{A}.numa.sum() == 1",
    f"{A}.?numa.value().optMap(x, x).hasValue()",
    f"{A}.numa.compareTo(quantity('1')) == 1",
    f"{C}.cores.compareTo(dyn(1)) == 1",
    f"{C}.cores.compareTo(dyn(semver('1.0.0'))) == 1",
    f"{C}.cores.add(dyn('1')) == quantity('1')",
    f"{C}.milli.asInteger() == 1",
    f"sign(dyn({A}.numa)) == 1",
    f"{A}.numa.major() == 1",
    f"semver({A}.model).major() == 1",
)
ERRORS = {
    "arithmetic": _ERRORS_ARITHMETIC,
    "other_types": _ERRORS_OTHER_TYPES,
    "indexes": _ERRORS_INDEXES,
    "conversions": _ERRORS_CONVERSIONS,
    "functions": _ERRORS_FUNCTIONS,
}
"""Expressions that are errors when they are evaluated for the device, by what they use."""

DO_NOT_COMPILE = (
    "1 +",
    "device.foo == 1",
    "nobody == 1",
    "true || 1 == 'a'",
    "true || device.driver == 1",
    "true || [1, 'a'].size() == 2",
    "true || {'a': 1, 'b': 'c'}.size() == 2",
    "true || device.attributes[1].ecc",
    "true || has(device.driver.foo)",
    f"true || {C}.memory == '16Gi'",
    "true || [1].all(x, x)",
    "true || 1.exists(x, true)",
    "true || [[1], ['a']].size() == 2",
    "true || [1].map(x, x, x).size() == 1",
    "true || [1].filter(x, x).size() == 1",
    "true || optional.of(1) == optional.of('a')",
    "true || device.?foo.hasValue()",
    "1",
    "9223372036854775808 == 0",
    "true || int('a') == 1",
    "true || uint(-1) == 1u",
    "true || [bool(dyn('x'))].size() == 1",
    "true || int(dyn({'a': int})) == 1",
)
"""Expressions that do not compile."""

SINCE_1_37 = (
    "dyn(true)",
    f"true || {A}.numa.all(x, false)",
    f"[{A}.ecc, dyn(true)].exists(x, x)",
    f"{A}.numa.orValue(2) == 1",
    f"{A}.`numa` == 1 && !has({A}.`no-such.name/x`) && {A}.?`numa`.orValue(2) == 1",
    "[1].all(device, .device.driver != '')",
    "dyn(optional.of(true))",
)
BEFORE_1_37 = (
    "false ? true : dyn(true)",
    f"[{A}.model].exists(m, m.exists(x, true)) || true",
    f"{A}.ecc.or(optional.of(false)) == dyn(true)",
    f"{A}.numa.exists(x, true)",
    "{'a-b': 1}.`a-b` == 1",
    "[1].all(x, .x == 1)",
)
"""Expressions that come to something else for the device since v1.37."""

FALSE = (
    f"{A}.numa == 0",
    f"{A}.model == 'ab'",
    f"!{A}.ecc",
    f"{C}.memory.isGreaterThan(quantity('16Gi'))",
    f"has({A}.nope)",
    "false",
)
