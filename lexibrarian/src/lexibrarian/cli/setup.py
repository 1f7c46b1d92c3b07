"""`lexictl init` and `lexictl setup`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from lexibrarian.cli.output import Output, command
from lexibrarian.config import load_config
from lexibrarian.errors import LibraryError
from lexibrarian.project import Project, find_root


def add_setup(lexictl: click.Group) -> None:
    """Add the commands to the group."""
    command(lexictl, "init", writes=True)(init)
    command(lexictl, "setup", writes=True)(setup)


@click.option("--defaults", is_flag=True, help="Ask nothing: the whole project, no model.")
def init(defaults: bool) -> Output:
    """Make a library in this directory."""
    from lexibrarian.setup.init import Choices, create_library, detect_agents, detect_name, refuse_second

    root = Path.cwd()
    refuse_second(root)
    if defaults:
        choices = Choices(detect_name(root), agents=detect_agents(root))
    elif sys.stdin.isatty() and not click.get_current_context().params.get("as_json"):
        from lexibrarian.setup.wizard import ask_choices

        choices = ask_choices(root)
    else:
        raise LibraryError(
            "There is no terminal to ask questions on.", code="no_terminal", hint="Run `lexictl init --defaults`."
        )
    written = create_library(root, choices)
    text = "\n".join(
        [*(f"Created {path}" for path in written), f"{choices.name} has a library. Run `lexictl update` to fill it."]
    )
    return Output(text, {"project": choices.name, "written": written})


@click.option("--hooks", is_flag=True, help="Update the library after each commit and merge, in the background.")
@click.option("--update", "rules", is_flag=True, help="Renew the rules for coding agents.")
@click.option("--env", "environments", multiple=True, help="Only for this agent; may be repeated.")
@click.pass_context
def setup(ctx: click.Context, hooks: bool, rules: bool, environments: tuple[str, ...]) -> Output:
    """Connect the library with coding agents and with git."""
    if environments and not rules:
        raise LibraryError("--env goes with --update.", code="usage", hint="Run `lexictl setup --update --env NAME`.")
    if not (hooks or rules):
        return Output(ctx.get_help(), {"hooks": [], "rules": []})
    project = find_root()
    # What can be refused comes first.
    parts = [_rules(project, environments)] if rules else []
    parts += [_hooks(project)] if hooks else []
    data = {key: value for part in parts for key, value in part.data.items()}
    return Output("\n".join(part.text for part in parts), data, warnings=[w for part in parts for w in part.warnings])


def _rules(project: Project, environments: tuple[str, ...]) -> Output:
    from lexibrarian.setup.rules import ENVIRONMENTS, write_rules

    config, warnings = load_config(project)
    chosen = list(environments) or config.agent_environment
    if not chosen:
        raise LibraryError(
            "No agent environments configured.",
            code="no_environment",
            hint=f"Run `lexictl setup --update --env NAME`; there is {', '.join(ENVIRONMENTS)}.",
        )
    found = write_rules(project, chosen)
    count = sum(each.state == "written" for each in found)
    lines = [f"{each.path}: {each.state}" for each in found]
    lines.append(f"Setup complete. {count} file(s) written.")
    data = {"rules": [vars(each) for each in found], "written": count}
    return Output("\n".join(lines), data, warnings=warnings)


def _hooks(project: Project) -> Output:
    from lexibrarian.setup.hook import install_hooks

    found = install_hooks(project)
    lines = [f"The hook is {'installed' if written else 'already installed'}: {path}" for path, written in found]
    return Output("\n".join(lines), {"hooks": [{"path": str(path), "written": written} for path, written in found]})
