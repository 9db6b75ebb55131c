// Has a process stop at a record of its log, and takes aim only then.
import { jobLog, type RecordName } from "./points.ts";

/**
 * The words that start such a process. It becomes the program that follows, with `words` given to the strace that is
 * to kill it; among them `jobLog` stands for its output. Beside `file`, where that one writes: `.records`, what the process wrote to its log up to the stop, and
 * `.thread`, the id of the script's thread.
 */
export function stopAndAim({
  file,
  log,
  record,
  words,
}: {
  readonly file: string;
  readonly log: string;
  readonly record: RecordName;
  readonly words: readonly string[];
}): readonly string[] {
  // As strace shows the line of the log.
  const shown = String.raw`\"event\":{\"type\":\"${record.type}\"`;
  return ["perl", "-e", script, "--", file, log, shown, String(record.nth), ...words, end];
}

const end = "--then";

/**
 * strace counts calls from where it joins a process, and can only count: so one strace stops the process at each write
 * to the log, until it is the one that is meant, and lets go of it, and another one joins while it stands still. Both belong to a helper, which belongs to
 * nobody, so that the process is a child of the runner, with no child of its own that it did not make. A shell would
 * leave out the variables of the action's inputs, for the hyphens in their names.
 * The first joins once the program has begun, for it lets go of whatever begins one, and follows all threads, because
 * records that are synced are written by another one. What they say of each child that they join goes into a file: a
 * pipe that nobody reads is full after some hundred children, and strace and all that it follows stand still then.
 */
const script = `
use strict; use POSIX ":sys_wait_h";
my ($file, $log, $record, $nth) = splice @ARGV, 0, 4;
my @words; push @words, shift @ARGV while $ARGV[0] ne "--then"; shift @ARGV;
my $process = $$;
my $child = fork // die $!;
if ($child) { waitpid $child, 0; exec @ARGV or die $! }
exit 0 if fork // die $!;
open STDIN, "<", "/dev/null"; open STDOUT, ">", "/dev/null"; open STDERR, ">", "/dev/null";
open my $thread, ">", "$file.thread"; print $thread $process; close $thread;
sub join_it {
  my $said = "$file.said";
  unlink $said;
  my $strace = fork // die $!;
  if (!$strace) { open STDERR, ">", $said; exec "strace", "-p", $process, @_; exit 1 }
  for (;;) {
    return $strace if waitpid($strace, WNOHANG) == $strace;
    if (open my $in, "<", $said) { local $/; return $strace if (<$in> // "") =~ /attached/ }
    select undef, undef, undef, 0.001;
  }
}
my $perl = readlink "/proc/$$/exe";
select undef, undef, undef, 0.001 while (readlink("/proc/$process/exe") // "") eq $perl;
my @stop = ("-e", "signal=SIGSTOP", "-e", "trace=write", "-P", $log, "-e", "inject=write:signal=STOP");
my $first = join_it("-f", "--detach-on=execve", "-yy", "-s", "256", @stop, "-o", "$file.records");
open my $records, "<", "$file.records";
my ($writer, $seen, $stands) = ("", 0, 0);
until ($stands) {
  while (my $line = <$records>) {
    if ($line =~ /^(\\d+) +write\\(/) {
      $writer = $1;
      $seen++ if index($line, $record) >= 0;
    } elsif ($line =~ /^(\\d+) .*stopped by SIGSTOP/ && $1 eq $writer) {
      $stands = $seen == $nth;
      last if $stands;
      kill "CONT", $process;
    }
  }
  exit 0 if !$stands && waitpid($first, WNOHANG) == $first;
  seek $records, 0, 1;
  select undef, undef, undef, 0.002;
}
kill "TERM", $first; waitpid $first, 0;
my $second = join_it(map { $_ eq "${jobLog}" ? readlink("/proc/$process/fd/1") : $_ } @words);
kill "CONT", $process;
waitpid $second, 0;
`;
