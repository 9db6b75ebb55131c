/** What opening a session's files came to: `clean 6` and `repaired 5` name the last record, `refused behind` the code. */
export type Decision = string;

/** One state of the files, what was predicted for it, what was seen, and whether what was accepted lacks something. */
export type Case = {
  readonly name: string;
  readonly predicted: Decision;
  readonly saw: Decision;
  readonly lost: boolean;
};

export type Counts = {
  cases: number;
  repaired: number;
  refused: number;
  clean: number;
  /** Accepted although an acknowledged record is missing or differs. */
  acceptedWrongly: number;
  /** Neither lost nor as predicted: refused with another code, or repaired where nothing was torn. */
  unpredicted: number;
};

const linesMax = 40;

/** Counts cases, and keeps one line for each that is not as predicted, up to a bound. */
export function tally(): {
  readonly counts: Counts;
  readonly wrong: string[];
  readonly take: (cases: Iterable<Case>) => void;
} {
  const counts = { cases: 0, repaired: 0, refused: 0, clean: 0, acceptedWrongly: 0, unpredicted: 0 };
  const wrong: string[] = [];
  const takeOne = ({ name, predicted, saw, lost }: Case): void => {
    counts.cases += 1;
    const [kind] = saw.split(" ");
    if (kind === "clean" || kind === "repaired" || kind === "refused") counts[kind] += 1;
    if (lost) counts.acceptedWrongly += 1;
    else if (predicted !== saw) counts.unpredicted += 1;
    if ((lost || predicted !== saw) && wrong.length < linesMax)
      wrong.push(`${name}: predicted ${predicted}, saw ${saw}${lost ? ", LOST" : ""}`);
  };
  return {
    counts,
    wrong,
    take: (cases) => {
      for (const one of cases) takeOne(one);
    },
  };
}
