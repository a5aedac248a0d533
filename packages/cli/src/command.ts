/** A command of the CLI. Operations become commands automatically; other commands are written by hand. */
import type { MarketApiError } from '@market/sdk';

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readInput(): Promise<string>;
  print(line: string): void;
  complain(line: string): void;
  /** Aborted by the first Ctrl-C. A second Ctrl-C ends the program as usual. */
  interruption(): AbortSignal;
}

export interface Command {
  readonly summary: string;
  help(): string;
  /** Resolves when the work is done; throws `UsageError` for a wrong call, anything else for a failure. */
  run(args: readonly string[], terminal: Terminal): Promise<void>;
}

export interface CommandGroup {
  readonly commands: Readonly<Record<string, Command>>;
}

/** The command line is wrong: nothing was sent, and the help shows the correct usage. */
export class UsageError extends Error {}

/** The service refused, and the command knows what to do next. */
export class Refused extends Error {
  readonly refusal: MarketApiError;
  readonly nextSteps: readonly string[];

  constructor(refusal: MarketApiError, nextSteps: readonly string[]) {
    super(refusal.message, { cause: refusal });
    this.refusal = refusal;
    this.nextSteps = nextSteps;
  }
}
