"""What is read out of code, in each language."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexibrarian.languages import dependencies_of, outline_of, title_of
from lexibrarian.languages.outline import Outline, first_sentence
from lexibrarian.languages.project_files import ProjectFiles

PYTHON = '''#!/usr/bin/env python
"""Rotates tokens. And more."""
import os, a.b as c
from .x import (y, z as q)
LIMIT = 3
_hidden = 1
timeout: float = 2
class A(Base, metaclass=M):
    """d"""
    x: int = 3
    @property
    def v(self) -> int: # why
        from lazy import thing
        return 1
    def _p(self): pass
    def __init__(self, n=1): pass
    async def go(
        self,
        a: dict[str, int],  # why
        *,
        b=" ",
    ) -> None: ...
class _Private: ...
try:
    def f(a, b=1): pass
except ImportError:
    def f(a, b=1): pass
'''

TYPESCRIPT = """/** Does things. */
import {x} from "./y";
export interface I<T> { a: string; m(x: T): void }
export abstract class K extends J implements I<string> {
  private p = 1; readonly q: number = 2;
  constructor(a: string) { super() }
  static async run<T>(x?: T): Promise<T> { return x }
  #z() {}
}
export const f = async (a: number): Promise<void> => { const z = require("./zz") };
export type U = "a" | "b";
export enum E { A = 1, B }
export default function main(x) { }
function hidden() {}
"""

GO = """// Package d does it. Well.
package d
import ( "fmt"; x "example.com/m/x" )
const ( A = 1; b = 2 )
type S struct { Name string; priv int; Sub struct{ In int } }
type I interface { Do(x int) error; small() }
func (s *S) Run(ctx context.Context) (int, error) { return 1, nil }
func hidden() {}
"""

RUST = """//! Crate e.
use crate::{a::B, c};
mod inner;
pub struct P<T> where T: X { pub a: i32, b: T }
pub enum En { A, B(i32) }
pub trait Tr { fn go(&self) -> i32; }
impl Tr for P<i32> { fn go(&self) -> i32 { 1 } }
impl P<i32> { pub fn new() -> Self { } fn hid() {} }
pub fn f<'a>(x: &'a str) -> &'a str { x }
fn hidden() {}
"""

JAVA = """/* Copyright */
package a.b;
import x.y.Z; import static x.Q.m;
/** The F. */
public class F<T> extends G implements H {
  private int a; public static final int N = 1;
  public F(int x) {}
  protected <T> T go(T t) throws E { return t; }
  void hid() {}
}
"""


def outline(path: str, code: str) -> Outline:
    read = outline_of(path, code)
    assert read is not None
    return read


@pytest.mark.parametrize(
    ("path", "code", "signatures", "imports", "said"),
    [
        (
            "a.py",
            PYTHON,
            (
                "LIMIT",
                "timeout: float",
                "class A(Base, metaclass=M):\n    x: int\n    @property\n    def v(self) -> int\n"
                "    def __init__(self, n=1)\n"
                '    async def go(self, a: dict[str, int], *, b=" ") -> None',
                "def f(a, b=1)",
            ),
            ("os", "a.b", ".x:y", ".x:z", "lazy:thing"),
            "Rotates tokens.",
        ),
        (
            "b.ts",
            TYPESCRIPT,
            (
                "export interface I<T>\n    a: string\n    m(x: T): void",
                "export abstract class K extends J implements I<string>\n    readonly q: number\n"
                "    constructor(a: string)\n"
                "    static async run<T>(x?: T): Promise<T>",
                "export const f = async (a: number): Promise<void>",
                'export type U = "a" | "b"',
                "export enum E\n    A\n    B",
                "export default function main(x)",
            ),
            ("./y", "./zz"),
            "Does things.",
        ),
        (
            "c.js",
            '"use strict";\nconst a = require("./a");\nfunction foo(x) {}\nmodule.exports = { foo, n: 1, baz() {} };\n',
            ("module.exports = {foo, n, baz}",),
            ("./a",),
            "",
        ),
        (
            "d.go",
            GO,
            (
                "const A",
                "type S struct\n    Name string\n    Sub struct{ In int }",
                "type I interface\n    Do(x int) error",
                "func (s *S) Run(ctx context.Context) (int, error)",
            ),
            ("fmt", "example.com/m/x"),
            "Package d does it.",
        ),
        (
            "e.rs",
            RUST,
            (
                "pub struct P<T> where T: X\n    pub a: i32",
                "pub enum En\n    A\n    B(i32)",
                "pub trait Tr\n    fn go(&self) -> i32",
                "impl Tr for P<i32>\n    fn go(&self) -> i32",
                "impl P<i32>\n    pub fn new() -> Self",
                "pub fn f<'a>(x: &'a str) -> &'a str",
            ),
            ("crate::a::B", "crate::c", "mod inner"),
            "Crate e.",
        ),
        (
            "f.java",
            JAVA,
            (
                "public class F<T> extends G implements H\n    public static final int N\n    public F(int x)\n"
                "    protected <T> T go(T t) throws E",
            ),
            ("x.y.Z", "static x.Q.m"),
            "The F.",
        ),
    ],
)
def test_lb_038_public_signatures_imports_and_the_first_sentence(
    path: str, code: str, signatures: tuple[str, ...], imports: tuple[str, ...], said: str
) -> None:
    read = outline(path, code)
    assert read.signatures == signatures
    assert read.imports == imports
    assert first_sentence(read.docstring) == said


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("return 1", "return 2", True),
        ("# why", "# because", True),
        ('"""d"""', '"""e"""', True),
        ("_hidden = 1", "_hid = 2", True),
        ("def _p(self)", "def _q(self, a)", True),
        ("LIMIT = 3", "LIMIT = 4", True),
        ("    ) -> None", ") -> None", True),
        ("b=1", "b=2", False),
        ("-> int", "-> str", False),
        ("class A(Base", "class A(Other", False),
        ("LIMIT", "LIMITS", False),
        ("x: int = 3", "x: str = 3", False),
    ],
)
def test_the_interface_hash_sees_what_callers_see(old: str, new: str, same: bool) -> None:
    before, after = outline("a.py", PYTHON), outline("a.py", PYTHON.replace(old, new))
    assert (before.interface_hash == after.interface_hash) is same


def test_the_order_of_definitions_is_no_interface_but_that_of_members_is() -> None:
    one, two = outline("a.py", "def a(): 1\ndef b(): 1\n"), outline("a.py", "def b(): 1\ndef a(): 1\n")
    assert one.interface_hash == two.interface_hash
    one, two = outline("a.py", "class A:\n  x: int\n  y: int\n"), outline("a.py", "class A:\n  y: int\n  x: int\n")
    assert one.interface_hash != two.interface_hash


def test_broken_code_has_an_outline_too() -> None:
    assert "def good(a)" in outline("a.py", "def good(a):\n    pass\n\ndef broken(:\n").signatures
    assert outline("a.ts", "export function good(a) {}\nexport class {{{").signatures[0] == "export function good(a)"


FILES = [
    "manage.py",
    "shop/__init__.py",
    "shop/db/__init__.py",
    "shop/db/models.py",
    "shop/money.py",
    "src/lib/__init__.py",
    "src/lib/core.py",
    "scripts/run.py",
    "scripts/common.py",
    "web/app.tsx",
    "web/lib/index.ts",
    "web/lib/x.js",
    "web/style.css",
    "go.mod",
    "pkg/a.go",
    "pkg/a_test.go",
    "pkg/b.go",
    "rs/src/lib.rs",
    "rs/src/net/mod.rs",
    "rs/src/net/tcp.rs",
    "rs/src/util.rs",
    "j/src/main/java/a/b/C.java",
    "j/src/main/java/a/D.java",
]


@pytest.mark.parametrize(
    ("importer", "imported", "targets"),
    [
        ("shop/money.py", "shop.db:models", ("shop/db/models.py",)),
        ("shop/money.py", "shop.db:Thing", ("shop/db/__init__.py",)),
        ("shop/db/models.py", "..money:x", ("shop/money.py",)),
        ("shop/db/models.py", ".:models", ()),
        ("shop/db/__init__.py", ".models:", ("shop/db/models.py",)),
        ("shop/money.py", "....x:y", ()),
        ("shop/money.py", "os.path", ()),
        ("shop/money.py", "models", ()),
        ("shop/money.py", "lib.core", ("src/lib/core.py",)),
        ("scripts/run.py", "common:x", ("scripts/common.py",)),
        ("web/app.tsx", "./lib", ("web/lib/index.ts",)),
        ("web/app.tsx", "./lib/x", ("web/lib/x.js",)),
        ("web/lib/x.js", "../app.jsx", ("web/app.tsx",)),
        ("web/app.tsx", "./style.css", ("web/style.css",)),
        ("web/app.tsx", "react", ()),
        ("web/app.tsx", "../../../x", ()),
        ("pkg/x.go", "example.com/m/pkg", ("pkg/a.go", "pkg/b.go")),
        ("pkg/x.go", "example.com/mother", ()),
        ("rs/src/lib.rs", "mod net", ("rs/src/net/mod.rs",)),
        ("rs/src/net/mod.rs", "mod tcp", ("rs/src/net/tcp.rs",)),
        ("rs/src/net/tcp.rs", "crate::util::f", ("rs/src/util.rs",)),
        ("rs/src/net/tcp.rs", "super::super::util", ("rs/src/util.rs",)),
        ("j/src/main/java/a/D.java", "a.b.C", ("j/src/main/java/a/b/C.java",)),
        ("j/src/main/java/a/b/C.java", "static a.D.run", ("j/src/main/java/a/D.java",)),
        ("j/src/main/java/a/b/C.java", "java.util.List", ()),
    ],
)
def test_lb_042_imports_are_resolved_to_project_files(
    tmp_path: Path, importer: str, imported: str, targets: tuple[str, ...]
) -> None:
    (tmp_path / "go.mod").write_text("module example.com/m\n\ngo 1.22\n")
    assert dependencies_of(importer, (imported,), ProjectFiles(FILES, tmp_path)) == targets


def test_other_files_have_a_name_and_no_outline() -> None:
    assert outline_of("a.md", "# A") is None
    assert [title_of(path) for path in ("a.py", "b.tsx", "c.yml", "Makefile", "x.odd")] == [
        "Python",
        "TypeScript",
        "YAML",
        "Text",
        "ODD",
    ]
    assert dependencies_of("a.md", ("b",), ProjectFiles(["b"], Path())) == ()
