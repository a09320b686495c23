// The questions of `ask` and their answers. docs/JSON.md in the repository describes each field.

import type { Answer, PositionFields, RankedTurn, RuleSettings, RulesName, Side, Value, ValueSource, Wdl } from "./index.js";

/** A question about a position: its text, or "start". */
export interface PositionQuestion {
  fen: string;
}

/** A question about the game that these turns, with spaces between them, make from a position. */
export interface GameQuestion extends PositionQuestion {
  moves?: string;
}

/** A failure that is part of an answer. */
export interface Failure {
  code: string;
  message: string;
  reason?: string;
  fields?: Record<string, string>;
}

export interface LegalTurn {
  turn: string;
  position: string;
}

/** A turn beside the others of its position; what is not known is null. */
export interface ComparedTurn extends LegalTurn {
  wdl: Wdl | null;
  dtw: number | null;
  replies: number | null;
  /** How many replies keep the opponent's result. */
  holding: number | null;
  /** Turns with the same number lead to positions that are equal up to symmetry. */
  class: number;
  /** Whether the turn would win or lose, but is a draw because it repeats a position for the third time, or lets the opponent do so at once. */
  by_repetition: boolean;
}

/** A turn with the facts about it. */
export interface ExplainedTurn extends RankedTurn {
  grade: "best" | "equal" | "slower" | "gives-up-draw" | "gives-up-win";
  replies: number;
  holding: number;
  holding_replies: string[];
  prevents: string[];
  allows: string[];
  refutation: RankedTurn[];
}

export interface GameEnding {
  winner: Side | null;
  reason: "stones" | "blocked" | "full_board" | "repetition" | "quiet";
  message: string;
}

export interface IllegalTurn {
  number: number;
  turn: string;
  reason: string;
  message: string;
}

export interface GameState {
  occurrences: number;
  quiet_turns: number;
  ending: GameEnding | null;
  illegal: IllegalTurn | null;
}

/** Turns with what a text says about them. */
export interface NotedLine {
  comment: string;
  turns: { turn: string; marks: string; comment: string; variations: NotedLine[] }[];
}

/** A game or a position that was read from a text. */
export interface ReadGame {
  rules: RulesName | null;
  tags: { name: string; value: string }[];
  start: string;
  position: string;
  line: NotedLine;
  result: "1-0" | "0-1" | "1/2-1/2" | null;
  /** What could not be read or is strange. */
  remarks: {
    line: number;
    column: number;
    cuts: boolean;
    rules: RulesName | null;
    /** What is strange as a word, and the parts of the sentence. */
    reason: string;
    fields: Record<string, string>;
    message: string;
  }[];
}

/** How many positions have which value. */
export interface ValueCounts {
  positions: number;
  wins: number;
  draws: number;
  losses: number;
  max_win: number | null;
  max_loss: number | null;
}

/** The counts of one side to move of a pair. */
export interface TableStats extends ValueCounts {
  pair: string;
  to_move: number;
  other: number;
  in_hand?: [number, number];
  histogram: (Value & { positions: number })[];
}

/** The kinds of questions: the fields of each, and its answer. */
export interface Questions {
  probe: { question: PositionQuestion; answer: Answer };
  rank: {
    question: PositionQuestion;
    answer: PositionFields & Value & { version: 1; source: ValueSource; drawn_after?: number; turns: ComparedTurn[] };
  };
  explain: {
    question: PositionQuestion & { turn?: string };
    answer: PositionFields &
      Value & {
        version: 1;
        source: ValueSource;
        drawn_after?: number;
        legal: number;
        keeping: number;
        best: number;
        threats: string[];
        passing: Value | null;
        forced_removal: string[] | null;
        forced_searched: number;
        turns: ExplainedTurn[];
      };
  };
  line: {
    question: PositionQuestion & { limit?: number };
    answer: PositionFields &
      Value & {
        version: 1;
        source: ValueSource;
        line: RankedTurn[];
        end: "over" | "repetition" | "quiet" | "limit";
        repeats: number | null;
        drawn_after: number | null;
      };
  };
  step: {
    question: GameQuestion & { limit?: number };
    answer: PositionFields &
      GameState & {
        version: 1;
        wdl: Wdl | null;
        dtw: number | null;
        source: ValueSource | null;
        drawn_after?: number;
        turns: ComparedTurn[];
        line: RankedTurn[] | null;
        problem: Failure | null;
      };
  };
  turns: { question: PositionQuestion; answer: PositionFields & { version: 1; turns: LegalTurn[] } };
  game: {
    question: GameQuestion;
    answer: PositionFields & GameState & { version: 1; start: string; game: LegalTurn[]; turns: LegalTurn[] };
  };
  play: {
    /** `movetime` in milliseconds, at most 5000. */
    question: GameQuestion & { level?: number; seed?: number; movetime?: number };
    answer: PositionFields & {
      version: 1;
      turn: string | null;
      wdl: Wdl | null;
      dtw: number | null;
      /** An estimate: hundredths of the logarithm of the odds to win under `standard`, of a stone under other rules. */
      score: number | null;
      depth: number | null;
      line: string[];
      ending: GameEnding | null;
      problem: Failure | null;
    };
  };
  read: {
    question: { text: string };
    answer: { version: 1; games: ReadGame[]; left_out: number };
  };
  random: {
    question: { pair: string; wdl: Wdl; seed?: number };
    answer: Value & { version: 1; position: string };
  };
  stats: {
    question: { pair?: string };
    answer: { version: 1; tables: TableStats[]; placing: (ValueCounts & { ply: number; bytes: number; file: null })[] };
  };
  rulesets: {
    question: Record<string, never>;
    answer: {
      version: 1;
      own: Required<RuleSettings> & { name: RulesName | null };
      named: (Required<RuleSettings> & { name: RulesName })[];
      draws: { repetitions: number; quiet_turns: number };
    };
  };
}
