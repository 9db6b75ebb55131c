import { limits } from "../base/limits.ts";
import { grouped } from "./outcome.ts";

/** How many names `glob` shows. */
export const namesMax = 1_000;

/**
 * What the model is told that each tool does, by its name; what its arguments mean stands at their schema. A session
 * can only be resumed with the very words that it was begun with, so a change here is a new version of the tools.
 */
export const words = {
  read: joined(
    "Read a text file with line numbers (number, tab, text), or list a directory. Read a file before you edit it.",
    `About ${Math.round(limits.modelOutputBytesMax / 1024)} KiB are shown at once; the last line says what is left and`,
    "how to go on. A very long line is cut with its length said; ask for it alone (`lines: 1`) to see all of it.",
    "Binary files are described, not shown. A path `output:<call id>` reads the whole output of an earlier call",
    "whose middle was cut, in the same way.",
    'Example: {"path": "src/app.ts", "from": 120, "lines": 60}',
  ),
  search: joined(
    "Search the contents of files with a JavaScript regular expression, line by line. Use it to find where something",
    "is defined or used. Matches come grouped by file, sorted, as `12:text`; lines of context as `13-text`.",
    "Left out: `.git`, what .gitignore hides (unless `path` names it), binary files and files over 4 MiB, which are",
    "counted; links are not followed. An expression that takes too long is stopped.",
    'Example: {"pattern": "export function parse\\\\w*", "glob": "*.ts", "context": 2}',
  ),
  glob: joined(
    "List files by name, sorted. Patterns: `*` within a name, `**` across directories, `?`, `[abc]`, `{a,b}`.",
    "A name that begins with a dot is matched only by a pattern that writes the dot, such as `.github/**`.",
    "Left out: `.git` and what .gitignore hides, unless `path` names a hidden directory. Links are listed, not",
    `followed. At most ${grouped(namesMax)} names are shown; how many there are is always said.`,
    'Example: {"pattern": "*.py", "path": "tests"}',
  ),
  edit: joined(
    "Replace exact text in a file. `old` must occur exactly once: take in lines around it until it does, or set `all`.",
    "Everything else stays byte for byte: line ends (write plain line feeds, they become CRLF in a CRLF file),",
    "byte order mark and permissions. When it fails nothing is changed and the nearest text of the file is shown.",
    'Example: {"path": "src/app.ts", "old": "retries = 3", "new": "retries = 5"}',
  ),
  write: joined(
    "Create a file, or replace all of an existing one. Directories on the way are created; the permissions of an",
    "existing file are kept. To change a part of a file use `edit`, which cannot lose the rest.",
    'Example: {"path": "docs/notes.md", "content": "# Notes\\n"}',
  ),
  shell: joined(
    "Run a command in the workspace: build, test, format, inspect history with git, move or delete files.",
    "stdout and stderr come back together, in order; of a long output you see the beginning and the end, with exact",
    'counts of what was cut, and the whole can be read in parts with `read` (`path: "output:<call id>"`).',
    "There is no network, no terminal and an empty stdin: use flags that answer prompts. Each call is a new shell:",
    "directory and variables do not carry over. Processes left in the background are killed when the call ends, so",
    "start a server and use it in the same command. `.git` is read-only; commits are made for you after the work.",
    "To look at files prefer `read`, `search` and `glob`; to change them `edit` and `write`.",
    'Example: {"command": "npm test -- --reporter=dot", "seconds": 300}',
  ),
  plan: joined(
    "Write down what you are going to do and how far you are. The people who follow this session see it, and it is",
    "kept when older parts of the conversation are summarised. Send the whole plan each time. Use it for work of",
    "three or more parts, once you know what they are, and whenever one is finished; leave it for small changes.",
    "It touches no file.",
  ),
  ask: joined(
    "Put a question to the people who follow this session. The run ends after this reply, its other calls included,",
    "and goes on when somebody has answered, which may take days. Use it only where you cannot go on without a",
    "decision that is theirs; where a sensible choice can be made, make it and say so at the end. Put all you need to",
    "know into one question.",
  ),
} as const;

function joined(...lines: readonly string[]): string {
  return lines.join(" ");
}
