"""Posts that share a number after a merge: the younger gets a free one, and what refers to it goes along."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from lexibrarian.artefacts.design import Design, read_design, replace_text_keep_footer
from lexibrarian.artefacts.markdown import set_field
from lexibrarian.artefacts.post import Post, read_post
from lexibrarian.checks.snapshot import Snapshot
from lexibrarian.concepts import folded
from lexibrarian.project import LIBRARY
from lexibrarian.stack import STACK, number_of, path_of
from lexibrarian.store import create_text, directory_lock, read_text, remove_file, write_text


@dataclass
class Renumbered:
    """A post with its new number; `changed` are the files that referred to it, `unclear` those that may have."""

    old: str
    new: str
    path: str
    changed: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)


def renumber(snapshot: Snapshot) -> list[Renumbered]:
    """Give every post a number of its own; of two, the one that was made earlier keeps it."""
    project = snapshot.project
    by_number: dict[int, list[Post]] = defaultdict(list)
    for post in snapshot.posts:
        by_number[number_of(post.name)].append(post)
    done = []
    with directory_lock(project, STACK):
        free = max(by_number, default=0) + 1
        for posts in by_number.values():
            elder, *younger = sorted(posts, key=lambda post: (str(post.fields.get("created") or ""), post.name))
            for post in younger:
                done.append(_move(snapshot, post, elder, free))
                free += 1
    return done


def _move(snapshot: Snapshot, post: Post, elder: Post, number: int) -> Renumbered:
    project = snapshot.project
    new_id = f"ST-{number:03d}"
    name = re.sub(r"^ST-\d+", new_id, post.name, flags=re.IGNORECASE)
    result = Renumbered(post.id, new_id, f"{LIBRARY}/{STACK}/{name}.md")
    moved = read_post(name, _renamed(set_field(post.text, "id", new_id), post, new_id))
    create_text(path_of(project, moved), moved.text)
    remove_file(path_of(project, post))
    for path in sorted(snapshot.paths):
        if path != snapshot.post_path(post):
            _follow(snapshot, path, post, elder, result)
    return result


def _follow(snapshot: Snapshot, path: str, post: Post, elder: Post, result: Renumbered) -> None:
    """Change the references of one file, where they mean the post that moved."""
    file = snapshot.project.root / path
    text = read_text(file)
    if text is None:
        return
    # The file's whole name means one post, whoever refers to it.
    new = text.replace(f"[[{post.name}]]", f"[[{result.path.rpartition('/')[2].removesuffix('.md')}]]")
    if _link(post.id).search(new) or _duplicate_of(post.id).search(new):
        if _means(snapshot, path, post, elder):
            new = _renamed(new, post, result.new)
        elif not _means(snapshot, path, elder, post):
            result.unclear.append(path)
    if new == text:
        return
    is_design = path.removeprefix(f"{LIBRARY}/").removesuffix(".md") in snapshot.designs
    write_text(file, _resealed(text, new, read_design(text)) if is_design else new)
    result.changed.append(path)


def _resealed(old: str, new: str, design: Design) -> str:
    if not design.has_footer:
        return new
    return replace_text_keep_footer(old, new[: len(new) - (len(old) - len(design.footed.before))])


def _link(post_id: str) -> re.Pattern[str]:
    return re.compile(rf"\[\[{re.escape(post_id)}(?=[\]|#])", re.IGNORECASE)


def _duplicate_of(post_id: str) -> re.Pattern[str]:
    return re.compile(rf"^(duplicate_of:\s*[\"']?){re.escape(post_id)}\b", re.IGNORECASE | re.MULTILINE)


def _renamed(text: str, post: Post, new_id: str) -> str:
    text = _link(post.id).sub(f"[[{new_id}", text)
    return _duplicate_of(post.id).sub(rf"\g<1>{new_id}", text)


def _means(snapshot: Snapshot, path: str, post: Post, other: Post) -> bool:
    """Whether a file refers to this post and not to the other: it names its title, or the post names the file."""
    text = " ".join((read_text(snapshot.project.root / path) or "").split()).casefold()
    title, other_title = (" ".join(each.title.split()).casefold() for each in (post, other))
    if title != other_title and (title in text) != (other_title in text):
        return title in text
    return bool(_subjects(snapshot, post) & {path}) and not _subjects(snapshot, other) & {path}


def _subjects(snapshot: Snapshot, post: Post) -> set[str]:
    """The files of the library that a post is about."""
    designs = {snapshot.design_path(source) for source in post.refs("files")}
    designs |= {f"{LIBRARY}/{each.removeprefix(f'{LIBRARY}/')}" for each in post.refs("designs")}
    named = {folded(each) for each in post.refs("concepts")}
    return designs | {snapshot.concept_path(each) for each in snapshot.concepts if folded(each.name) in named}
