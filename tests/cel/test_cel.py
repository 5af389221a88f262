# SPDX-License-Identifier: Apache-2.0
"""CEL selectors: what expressions say of a device. Put to kube-scheduler v1.37.2, they say the same there."""

from __future__ import annotations

import pytest
from device_world import DRIVER, device

from refsched.cel import CelError, compile_selector
from refsched.cel.optional import without_optional_syntax
from refsched.cel.values import CelType, Optional, Uint, type_name
from refsched.devices.cel_device import cel_device
from refsched.errors import InputError
from refsched.objects.dra import Device
from refsched.objects.reading import read_as

A = f"device.attributes['{DRIVER}']"
C = f"device.capacity['{DRIVER}']"

DEVICE = cel_device(
    DRIVER,
    read_as(
        Device,
        device(
            "d0",
            {"memory": "16Gi", "cores": "8", "milli": "1500m"},
            version="1.2.3",
            model="Ab",
            numa=1,
            ecc=True,
            **{"shared.com/x": 7},
        ),
    ),
)


def says(expression: str) -> object:
    """True or false, or what is wrong."""
    try:
        return compile_selector(expression).matches(DEVICE)
    except CelError as error:
        return str(error)


# --- Devices --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression",
    [
        f"device.driver == '{DRIVER}'",
        f"{A}.ecc && {A}.numa == 1 && {A}.model == 'Ab'",
        "device.attributes['shared.com'].x == 7",
        "device.attributes['nobody.org'].size() == 0",
        "device.attributes.size() == 2 && size(device.capacity) == 1",
        f"'{DRIVER}' in device.attributes && !('nobody.org' in device.attributes)",
        f"'numa' in {A} && {A}['numa'] == 1",
        f"{A}.exists(k, k == 'numa') && {A}.all(k, k != 'x')",
        f"{C}.memory.compareTo(quantity('16Gi')) == 0",
        f"{A}.version.isGreaterThan(semver('1.2.0'))",
        "!device.allowMultipleAllocations",
        f"has({A}.ecc) && !has({A}.nope) && has(device.driver)",
        "has({'a': {'b': 1}}.a.b) && !has({'a': 1}.b)",
    ],
)
def test_an_expression_knows_the_device(expression: str) -> None:
    assert says(expression) is True


def test_what_a_device_does_not_have_is_an_error() -> None:
    assert says(f"{A}.nope == 1") == "CEL runtime error: no such key: nope"
    assert says(f"{A}.numa.deeper == 1") == "CEL runtime error: no such key: deeper"


@pytest.mark.parametrize(
    ("attribute", "problem"),
    [
        ({}, "attribute odd: unsupported attribute value"),
        ({"version": "1"}, "attribute odd: parse semantic version: No Major.Minor.Patch elements found"),
    ],
)
def test_an_attribute_that_is_no_value_is_an_error(attribute: dict[str, str], problem: str) -> None:
    with pytest.raises(CelError, match=problem):
        cel_device(DRIVER, read_as(Device, {"name": "d", "attributes": {"odd": attribute}}))


# --- What cannot be compiled, or is no answer -----------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("1 +", "Syntax error"),
        ("device.", "Syntax error"),
        ("device.foo", "undefined field 'foo'"),
        ("has(device.foo)", "undefined field 'foo'"),
        ("nobody == 1", "undeclared reference to 'nobody' (in container '')"),
        ("has(1)", "invalid argument to has() macro"),
        ("cel.bind(1, 2, 3)", "cel.bind() variable names must be simple identifiers"),
        ("device{a: 1}", "objects cannot be made here"),
        ("9223372036854775808 == 0", "invalid int literal"),
        ("18446744073709551616u == 0u", "invalid uint literal"),
    ],
)
def test_what_cannot_be_compiled_is_refused(expression: str, problem: str) -> None:
    assert says(expression) == f"CEL compile error: compilation failed: ERROR: <input>: {problem}"


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        (
            f"{A}.model",
            "string could not be converted to bool: unsupported native conversion from string to 'bool'",
        ),
        (f"{A}.numa", "int could not be converted to bool: unsupported type conversion from 'int' to bool"),
        (
            f"{A}.version",
            "kubernetes.Semver could not be converted to bool: type conversion error from 'Semver' to 'bool'",
        ),
    ],
)
def test_an_answer_must_be_a_boolean(expression: str, problem: str) -> None:
    assert says(expression) == f"CEL runtime error: CEL result of type {problem}"


# --- Types ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression",
    [
        "1 == 'a' || true",
        "1 == 1u || 1 == 1.0",
        "device.driver == 1",
        "device.driver.foo == 'a'",
        "device.driver.startsWith(1)",
        "device.driver ? true : false",
        "device.driver in [1]",
        "device.attributes[1].ecc",
        "device.attributes == null",
        f"{A}[1] == 1",
        f"{A} == {{'a': 1}} && {C} == {{'a': 1}}",
        f"{C}.memory == '16Gi'",
        f"{C}.memory > quantity('1')",
        f"{C}.memory.compareTo('16Gi') == 0",
        f"{C}.memory.add(1.5) == quantity('1')",
        f"{C}.?memory.orValue(1) == quantity('1')",
        "semver('1.0.0', 1) == semver('1.0.0')",
        "true && 1",
        "1 + 1.0 == 2.0",
        "'a' - 'b' == 'ab'",
        "-1u == 1u",
        "!device.driver",
        "true ? 1 : 'a'",
        "int(true) == 1",
        "size(1) == 1",
        "[1, 'a'].size() == 2",
        "[1, dyn(2)].size() == 2",
        "[[1], ['a']].size() == 2",
        f"[{A}.model, 'a'].size() == 2",
        "[?1].size() == 1",
        "[?optional.of(1), 'a'].size() == 2",
        "{'a': 1, 2: 3}.size() == 2",
        "{'a': 1, 'b': 'c'}.size() == 2",
        "[int, string].size() == 2",
        "1.exists(x, true)",
        "[1].all(x, x)",
        "[1].all(x, x > 'a')",
        "[1].map(x, 'a') == [1]",
        "[1].map(x, x, x) == [1]",
        "[1].filter(x, x > 0) == ['a']",
        "cel.bind(x, 1, x == 'a')",
        "has(device.driver.foo)",
        "device.?foo.hasValue()",
        "optional.of(1) == optional.of('a')",
        "optional.of(1).a.hasValue()",
        "optional.none() == 1",
        "device.driver.optMap(x, x).hasValue()",
        "device.?driver.optFlatMap(x, x).hasValue()",
    ],
)
def test_what_does_not_fit_by_its_types_cannot_be_compiled(expression: str) -> None:
    answer = says(expression)
    assert isinstance(answer, str)
    assert answer.startswith("CEL compile error: ")


@pytest.mark.parametrize(
    "expression",
    [
        "[] == [1] || [[], [1]].size() == 2 || [[1], []].size() == 2 || [dyn(1), dyn('a')].size() == 2",
        "[1] + [] == [1] && {}.size() == 0 && type(1) != type('a')",
        f"{C}.memory != null && null == null && optional.none() != null",
        f"(true ? {A}.ecc : false) && (true ? dyn(true) : false)",
        "optional.none().orValue(true) && optional.of([1])[0].value() == 1",
        "dyn([1]).exists(x, x == 1) && {'a': 1}.all(k, k == 'a')",
        "device.?driver.optFlatMap(x, optional.of(x)).hasValue()",
        f"{A}.numa in [0, 1] && {A}.model in ['Ab'] && device.driver in device.attributes",
        "sets.contains([], []) && sets.contains([1], [])",
    ],
)
def test_what_is_open_fits_anything(expression: str) -> None:
    assert says(expression) is True


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("1", "int"),
        ("device.driver", "string"),
        ("optional.of([1])", "optional_type(list(int))"),
    ],
)
def test_a_selector_is_of_type_bool_or_that_of_an_attribute(expression: str, kind: str) -> None:
    assert says(expression) == f"CEL compile error: must evaluate to bool or the unknown type, not {kind}"


@pytest.mark.parametrize(
    "expression", ["dyn(true)", "true ? true : dyn(false)", f"{A}.ecc", f"{A}.?ecc.orValue(false)"]
)
def test_a_selector_may_be_of_the_type_of_an_attribute(expression: str) -> None:
    assert says(expression) is True


def test_a_type_that_is_not_determined_is_dyn() -> None:
    assert says("({}).nope") == "CEL runtime error: no such key: nope"
    assert (
        says("[].map(x, x)") == "CEL compile error: must evaluate to bool or the unknown type, not list(dyn)"
    )
    assert says(f"!{A}.numa[?1.5].hasValue()") is True
    assert says(f"true || {A}.?numa.optFlatMap(x, dyn(x)).size() == 1") is True
    assert says(f"[(true ? {A}.ecc : false), (false ? dyn(1) : {A}.ecc)].exists(x, x)") is True


@pytest.mark.parametrize(
    "expression",
    [
        f"{A}.`numa` == 1 && {A}.?`numa`.value() == 1 && device.`driver` == '{DRIVER}'",
        f"has({A}.`numa`) && !has({A}.`no-such name.x/y`) && {{'a-b': 1}}.`a-b` == 1",
    ],
)
def test_a_field_may_be_in_backquotes(expression: str) -> None:
    assert says(expression) is True


def test_a_leading_dot_means_no_variable_of_a_macro() -> None:
    assert says(f"[1].all(device, .device.driver == '{DRIVER}' && device == 1)") is True
    assert says("[1].all(x, .x == 1)") == (
        "CEL compile error: compilation failed: ERROR: <input>: undeclared reference to '.x' (in container '')"
    )


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("true || int('a') == 1", "type conversion error from 'string' to 'int'"),
        ("true || uint(- 1) == 1u", "unsigned integer overflow"),
        ("true || {'a': 1}[dyn([1])] == 1", "invalid qualifier type: *types.baseList"),
        ("true || string(null) == ''", "no such overload: string(null_type)"),
        ("true || int(dyn([1, int(2)])) == 1", "no such overload: int(list)"),
        ("[1].all(x, true || int(dyn({'a': 1})) == x)", "no such overload: int(map)"),
    ],
)
def test_what_a_constant_is_converted_to_is_known_when_compiling(expression: str, problem: str) -> None:
    assert says(expression) == f"CEL compile error: program instantiation failed: {problem}"


@pytest.mark.parametrize(
    "expression",
    [
        "true || uint(-(1)) == 1u",
        "true || int('a' + 'b') == 1",
        f"true || int({A}.model) == 1",
        "[1].all(int, true || int(string(int) + string(int)) == 11)",
        "true || int(dyn([?optional.none(), 1])) == 1",
        "int('1') == 1 && type(dyn([int, int])) == list",
    ],
)
def test_what_is_no_constant_is_converted_when_it_is_evaluated(expression: str) -> None:
    assert says(expression) is True


def test_a_selector_that_is_an_optional_is_what_it_holds() -> None:
    assert says("dyn(optional.of(optional.of(true)))") is True
    words = "CEL runtime error: CEL result of type optional_type could not be converted to bool: "
    assert says("dyn(optional.of(1u))") == words + "unsupported type conversion from 'uint' to bool"
    assert says("dyn(optional.none())") == words + "optional.none() dereference"


def test_a_macro_may_range_over_an_attribute() -> None:
    assert says(f"true || {A}.numa.exists(x, true)") is True
    assert says(f"{A}.numa.exists(x, true)") == "CEL runtime error: got 'types.Int', expected iterable type"


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("isURL('http://x')", "isURL"),
        ("[1].all(i, v, v > 0)", "all"),
        ("ip.isCanonical('')", "ip.isCanonical"),
        ("foo(1)", "foo"),
        ("'a'.foo()", "foo"),
        ("'a'.map(1, 2)", "map"),
    ],
)
def test_a_function_that_is_not_followed_is_refused_by_its_name(expression: str, name: str) -> None:
    with pytest.raises(InputError, match=f"the CEL function {name} is not followed"):
        compile_selector(expression)


# --- Operators ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression",
    [
        "1 + 2 * 3 == 7 && 2 - 1 - 1 == 0 && (1 + 2) * 3 == 9",
        "7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1 && 7 % -3 == 1 && -(1) == -1 && - 1.5 == -1.5",
        "7.0 / 2.0 == 3.5 && 1.5 * 2.0 == 3.0 && 1.5 - 1.0 == 0.5 && 1.0 / 0.0 > 1.0 && -1.0 / 0.0 < 0.0",
        "0.0 / 0.0 != 0.0 / 0.0",
        "3u + 4u == 7u && 7u / 2u == 3u",
        "'a' + 'b' == 'ab' && [1] + [2] == [1, 2] && b'a' + b'b' == b'ab'",
        "1 < 2.5 && 1u < 2 && 'a' < 'b' && false < true && 2 >= 2 && 2 <= 2 && b'a' < b'b' && 2 > 1",
        "dyn(1) == 1.0 && dyn('1') != 1 && null == null && dyn(1) != null",
        "[[1], [2]] == [[1], [2]] && [1] != [1, 2] && {'a': 1} == {'a': 1} && {'a': 1} != {'b': 1}",
        "!false && !!true && (false ? false : true) && (true ? true : false)",
        "true && true && (false || true) && (dyn('x') || true) && !(false && dyn('x'))",
        f"{A}.nope == 1 || true",
        f"!({A}.nope == 1 && false)",
        "[1, 2][1] == 2 && {'a': 1}['a'] == 1 && {'a': 1}.a == 1 && {1: 'a'}[1] == 'a' && [1][dyn(0.0)] == 1",
        "1 in [1, 2] && !(3 in [1, 2]) && 'a' in {'a': 1}",
        "!(dyn(true) in {1: 1}) && 1 in {1: 1} && !(dyn(optional.of({})) in {1: 1})",
        "null != quantity('1') && quantity('1') != null",
        f"!(dyn([1]) in {{'a': 1}}) && {A}.version != '1.2.3' && !('1.2.3' in [{A}.version])",
        f"[{A}.version] == [dyn('1.2.3')] && [dyn(quantity('1')), dyn(2)] != [dyn(1), dyn(3)]",
        f"!({A}.version in {A}) && {A}.version in [semver('1.2.3')] && !({A}.version in [])",
        "quantity('1Gi') == quantity('1024Mi') && semver('1.0.0') == semver('1.0.0+build')",
        ".5 == 0.5 && 1.5e3 == 1500.0 && 0xFF == 255 && 0x1u == 1u",
        "'\\n' == '\\u000a' && '\\x41' == 'A' && '\\101' == 'A'",
        "'\\U00000041' == 'A' && '\\\"' == '\"' && '\\?' == '?'",
        "r'\\n' == '\\\\n' && '''a''' == \"a\" && '''it's''' == 'it\\'s'",
        "true // what follows is a comment",
    ],
)
def test_operators(expression: str) -> None:
    assert says(expression) is True


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("1 / 0 == 1", "division by zero"),
        ("1 % 0 == 1", "modulus by zero"),
        ("9223372036854775807 + 1 == 0", "integer overflow"),
        ("0u - 1u == 0u", "unsigned integer overflow"),
        (f"{A}.numa + 'a' == 'b'", "no such overload"),
        (f"{A}.numa + 1.0 == 2.0", "no such overload"),
        (f"{A}.ecc + 1 == 2", "no such overload: _+_"),
        ("dyn(1.5) % dyn(1.0) == 1.0", "no such overload: _%_"),
        (f"{A}.numa < 'a'", "no such overload"),
        (f"{A}.version < {A}.version", "no such overload: _<_"),
        ("null >= null", "no such overload: _>=_"),
        (f"{A}.model - 1 == 0", "no such overload"),
        (f"{A}.version == '1.2.3'", "no such overload"),
        (f"!{A}.numa", "no such overload"),
        (f"-{A}.ecc == 1", "no such overload"),
        (f"{A}.numa ? true : false", "no such overload"),
        ("dyn('x') || false", "no such overload"),
        (f"{A}.nope || dyn('x')", "no such key: nope"),
        ("[1][5] == 1", "index out of bounds: 5"),
        ("[1][dyn('a')] == 1", "unsupported index type 'string' in list"),
        ("[1][dyn(0.5)] == 1", "unsupported index value 0.5 in list"),
        ("dyn(1) in dyn(2)", "no such overload"),
        (f"{A}[dyn({A})] == 1", "invalid qualifier type: *types.baseMap"),
        (f"[1][dyn({A}.version)] == 1", "invalid qualifier type: cel.Semver"),
        (f"{A}.version in ['1.2.3']", "internal error: runtime error: hash of unhashable type cel.Semver"),
        ("{semver('1.2.3'): 1} == {}", "internal error: runtime error: hash of unhashable type cel.Semver"),
        (f"cel.bind(n, {A}.nope, n == 1)", "no such key: nope"),
        ("[1][dyn(0.0 / 0.0)] == 1", "unsupported index value NaN in list"),
        ("[1][dyn(1.0 / 0.0)] == 1", "unsupported index value +Inf in list"),
        ("[1][dyn(-1.0 / 0.0)] == 1", "unsupported index value -Inf in list"),
        ("[1][dyn(1e19)] == 1", "unsupported index value 1e+19 in list"),
        ("[1][dyn(5.0)] == 1", "index out of bounds: 5"),
        ("{1: 1}[dyn(false)] == 1", "no such key: false"),
        ("{1: 1}[dyn(1000000.0)] == 1", "no such key: 1e+06"),
        (f"dyn({A}.numa).all(x, true)", "got 'types.Int', expected iterable type"),
        (f"{A}.version.all(x, true)", "got 'cel.Semver', expected iterable type"),
        ("dyn([1]).a == 1", "unsupported index type 'string' in list"),
        (f"{A}.model.max() == 'b'", "no such overload: max(string)"),
        (f"{A}.model.isSorted()", "no such overload: isSorted(string)"),
        (f"{A}.numa.sum() == 1", "no such overload: sum(int)"),
        ("dyn(1).optMap(x, x).hasValue()", "no such overload: hasValue(int)"),
    ],
)
def test_what_an_operator_cannot_take_is_an_error(expression: str, problem: str) -> None:
    assert says(expression) == f"CEL runtime error: {problem}"


# --- Macros ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression",
    [
        "[1, 2].all(x, x > 0) && ![1, 2].all(x, x > 1)",
        "[1, 2].exists(x, x / (x - 1) == 2) && ![].exists(x, true)",
        "[1, 2].exists_one(x, x > 1) && ![1, 2].exists_one(x, x > 0)",
        "[1, 2].map(x, x * 2) == [2, 4] && [1, 2, 3].map(x, x > 1, x * 2) == [4, 6]",
        "[1, 2, 3].filter(x, x > 1) == [2, 3]",
        "{'a': 1}.all(k, k == 'a')",
        f"cel.bind(g, {A}, g.numa == 1 && g.ecc) && cel.bind(n, {A}.nope, true)",
        "[1].all(x, [2].all(y, x < y))",
        "[0].all(x, 'ab'.substring(x, 1) == 'a')",
    ],
)
def test_macros(expression: str) -> None:
    assert says(expression) is True


# --- Optionals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression",
    [
        f"{A}.?ecc.orValue(false) && {A}.?nope.orValue(true)",
        f"!{A}.?nope.hasValue() && {A}.?nope.?deeper.orValue(1) == 1",
        f"!{A}.numa.?x.hasValue() && {A}[?'model'].orValue('z') == 'Ab' && {A}[?'nope'].orValue('z') == 'z'",
        f"device.attributes[?'{DRIVER}'].ecc.orValue(false)",
        f"device.attributes[?'{DRIVER}']['ecc'].value()",
        "device.attributes[?'nobody.org'].hasValue()",
        "optional.of(1).value() == 1 && !optional.none().hasValue()",
        "!optional.ofNonZeroValue(0).hasValue() && optional.ofNonZeroValue('a').value() == 'a'",
        f"{A}.?nope.or({A}.?numa).value() == 1 && optional.of(1).or(optional.of(2)).value() == 1",
        f"{A}.?numa.optMap(x, x + 1).orValue(0) == 2 && !{A}.?nope.optMap(x, x).hasValue()",
        f"{A}.?numa.optFlatMap(x, optional.of(x)).value() == 1",
        f"{A}.?model == optional.of('Ab')",
        "optional.none() == optional.none() && optional.of(1) != optional.of(2)",
        "optional.of(1).or(optional.of(1 / dyn(0))).orValue(1 / dyn(0)) == 1",
        "[?optional.of(1), ?optional.none(), 3] == [1, 3] && [[1], [2]][?1].value() == [2]",
        "[1, 2][?5].orValue(9) == 9 && [f'.?x', '[?y'].size() == 2".replace("f'", "'"),
        f"[{{'a': [1]}}][?0].a[0].value() == 1 && ({A}.?numa).hasValue()",
    ],
)
def test_optionals(expression: str) -> None:
    assert says(expression) is True


def test_optionals_that_are_none_or_no_optionals_fail() -> None:
    assert says(f"{A}.?nope.value() == 1") == "CEL runtime error: optional.none() dereference"
    assert says(f"{A}.numa.hasValue()") == "CEL runtime error: no such overload: hasValue(int)"
    assert says(f"{A}.numa.orValue(2) == 1") == "CEL runtime error: no such overload"
    assert says(f"{A}.ecc.or(optional.of(true)).value()") == "CEL runtime error: no such overload"
    assert says("[1][?dyn('a')].hasValue()") == "CEL runtime error: unsupported index type 'string' in list"
    no_optional = f"optional.none().or(dyn({A}.numa)).hasValue()"
    assert says(no_optional) == "CEL runtime error: no such overload: hasValue(int)"


def test_text_and_comments_are_no_optional_syntax() -> None:
    plain = """'.?a' + "[?b" // .?c\n+ r'\\' """
    assert without_optional_syntax(plain) == plain


# --- Functions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression",
    [
        f"{C}.milli.asApproximateFloat() == 1.5 && !{C}.milli.isInteger() && {C}.cores.asInteger() == 8",
        f"{C}.cores.add(2) == quantity('10')",
        f"{C}.cores.sub(quantity('1')) == quantity('7') && sign({C}.cores) == 1",
        f"{C}.cores.isLessThan(quantity('9')) && {C}.cores.isGreaterThan(quantity('7'))",
        "isQuantity('1Gi') && !isQuantity('x')",
        f"{A}.version.major() == 1 && {A}.version.minor() == 2 && {A}.version.patch() == 3",
        f"{A}.version.isLessThan(semver('1.10.0')) && {A}.version.compareTo(semver('1.2.3')) == 0",
        "semver('1.0.0-alpha.1').isLessThan(semver('1.0.0-alpha.beta'))",
        "semver('1.0.0-2').isLessThan(semver('1.0.0-11')) && semver('1.0.0-a').isLessThan(semver('1.0.0'))",
        "semver('v1.2', true) == semver('1.2.0') && semver('01.2.3', true) == semver('1.2.3')",
        "isSemver('1.2.3') && !isSemver('v1.2') && isSemver('v1.2', true) && !isSemver('1.2-a', true)",
        f"{A}.model.lowerAscii() == 'ab' && {A}.model.upperAscii() == 'AB' && ' a '.trim() == 'a'",
        f"{A}.model.startsWith('A') && {A}.model.endsWith('b')",
        f"{A}.model.contains('b') && {A}.model.matches('^A')",
        "'a,b'.split(',') == ['a', 'b'] && 'ab'.split('') == ['a', 'b'] && 'aba'.replace('a', 'c') == 'cbc'",
        "'abc'.substring(1) == 'bc' && 'abc'.substring(1, 2) == 'b'",
        "'abc'.charAt(1) == 'b' && 'abc'.charAt(3) == ''",
        "'abca'.indexOf('a') == 0 && 'abca'.lastIndexOf('a') == 3 && 'abc'.indexOf('x') == -1",
        "[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(3) == -1",
        "['a', 'b'].join('-') == 'a-b' && ['a', 'b'].join() == 'ab'",
        "[3, 1, 2].min() == 1 && [3, 1, 2].max() == 3",
        "[1, 2].sum() == 3 && [1, 2].isSorted() && ![2, 1].isSorted()",
        "sets.contains([1, 2], [1]) && sets.equivalent([1, 2], [2, 1]) && sets.intersects([1], [1, 3])",
        "size('äb') == 2 && size(b'äb') == 3 && [1].size() == 1 && {'a': 1}.size() == 1",
        "int(3.7) == 3 && int('5') == 5 && int(5u) == 5 && uint(5) == 5u && uint(5u) == 5u && uint('5') == 5u",
        "double('1.5') == 1.5 && double(1) == 1.0 && bool('true') && !bool('0') && bool(true)",
        "string(1.0) == '1' && string(1.5) == '1.5' && string(true) == 'true' && string(false) == 'false'",
        "string(1u) == '1' && string(b'a') == 'a' && string('a') == 'a' && string(1e30) == '1e+30'",
        "string(1e6) == '1e+06' && string(1234567.5) == '1.2345675e+06' && string(123456.5) == '123456.5'",
        "string(0.0001) == '0.0001' && string(1e-5) == '1e-05' && string(-0.0) == '-0' && string(1e5) == '100000'",
        "bytes('a') == b'a' && bytes(b'a') == b'a'",
        f"type(1) == int && type({A}.version) == type(semver('1.0.0'))",
        "int == int && type(int) == type && type('a') != int",
    ],
)
def test_functions(expression: str) -> None:
    assert says(expression) is True


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        (f"int({A}.model) == 1", "type conversion error from 'string' to 'int'"),
        (f"uint({A}.model) == 1u", "type conversion error from 'string' to 'uint'"),
        (f"int({A}.model + '9' + {A}.model) == 1", "type conversion error from 'string' to 'int'"),
        ("int(string([9223372036854775808.0][0])) == 1", "type conversion error from 'string' to 'int'"),
        ("uint(string([-1][0])) == 1u", "type conversion error from 'string' to 'uint'"),
        (f"double({A}.model) == 1.0", "type conversion error from 'string' to 'double'"),
        (f"bool({A}.model)", "type conversion error from 'string' to 'bool'"),
        (f"int({A}.ecc) == 1", "no such overload: int(bool)"),
        (f"double({A}.ecc) == 1.0", "no such overload: double(bool)"),
        (f"bool({A}.numa)", "no such overload: bool(int)"),
        (f"string({A}.version) == ''", "no such overload: string(kubernetes.Semver)"),
        (f"bytes({A}.numa) == b''", "no such overload: bytes(int)"),
        (f"uint(-{A}.numa) == 1u", "unsigned integer overflow"),
        (f"{A}.numa.size() == 1", "no such overload: size"),
        (f"{A}.numa.startsWith('a')", "no such overload"),
        (f"'a'.matches({A}.model + '(')", "error parsing regexp: "),
        (f"{A}.model.substring(2, 1) == ''", "invalid substring range. start: 2, end: 1"),
        (f"{A}.model.substring(3) == ''", "index out of range: 3"),
        (f"{A}.model.substring(0, 3) == ''", "index out of range: 3"),
        (f"{A}.model.charAt(3) == ''", "index out of range: 3"),
        (f"{A}.model.charAt(dyn('a')) == ''", "no such overload: charAt(string, string)"),
        ("[].max() == 1", "max called on empty list"),
        (f"quantity({A}.model) == quantity('1')", "quantities must match the regular expression"),
        (f"{A}.numa.compareTo(quantity('1')) == 1", "no such overload: compareTo(int, kubernetes.Quantity)"),
        (f"{C}.cores.add(dyn('1')) == quantity('1')", "no such overload: add(kubernetes.Quantity, string)"),
        (f"{C}.milli.asInteger() == 1", "cannot convert value to integer"),
        (f"sign(dyn({A}.numa)) == 1", "no such overload: sign(int)"),
        (f"{A}.numa.major() == 1", "no such overload: major(int)"),
    ],
)
def test_what_a_function_cannot_take_is_an_error(expression: str, problem: str) -> None:
    answer = says(expression)
    assert isinstance(answer, str)
    assert answer.startswith(f"CEL runtime error: {problem}")


@pytest.mark.parametrize(
    ("version", "problem"),
    [
        ("", "Version string empty"),
        ("1.2", "No Major.Minor.Patch elements found"),
        ("a.2.3", 'Invalid character(s) found in major number "a"'),
        ("1.02.3", 'Minor number must not contain leading zeroes "02"'),
        ("1..3", 'strconv.ParseUint: parsing "": invalid syntax'),
        ("1.2.99999999999999999999", "value out of range"),
        ("1.2.3-", "Prerelease is empty"),
        ("1.2.3-01", 'Numeric PreRelease version must not contain leading zeroes "01"'),
        ("1.2.3-ä", 'Invalid character(s) found in prerelease "ä"'),
        ("1.2.3+", "Build meta data is empty"),
        ("1.2.3+ä", 'Invalid character(s) found in build meta data "ä"'),
    ],
)
def test_what_is_no_semantic_version(version: str, problem: str) -> None:
    answer = says(f"semver('{version}').major() == 1")
    assert isinstance(answer, str)
    assert problem in answer


def test_every_value_has_the_name_of_its_type() -> None:
    assert {type_name(value) for value in (Uint(1), None, CelType("int"), Optional(), {}, 1.0, b"", "")} == {
        "uint", "null_type", "type", "optional_type", "map", "double", "bytes", "string",
    }  # fmt: skip
