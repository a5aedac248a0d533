import { MarketApiError } from '@market/sdk';
import { type Command, type CommandGroup, Refused, type Terminal, UsageError } from './command.ts';
import { groupHelp, overviewHelp } from './help.ts';
import { registry } from './registry.ts';
import { nearestOf } from './spelling.ts';

type ExitCode = 0 | 1 | 2;

/** 0: done. 1: the service refused or could not be reached. 2: the call itself is wrong. */
export async function runMarket(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    await dispatch(args, terminal);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.complain(error.message);
      return 2;
    }
    reportFailure(error, terminal);
    return 1;
  }
}

async function dispatch([first, ...rest]: readonly string[], terminal: Terminal): Promise<void> {
  if (first === undefined || asksForHelp(first)) return terminal.print(overviewHelp(registry));
  if (first.startsWith('-')) throw new UsageError(`Put ${first} after the command: market <group> <command> ${first} …`);
  const entry = pick(registry, first, 'market --help');
  return 'commands' in entry ? dispatchInGroup(first, entry, rest, terminal) : runCommand(entry, rest, terminal);
}

async function dispatchInGroup(group: string, entry: CommandGroup, [first, ...rest]: readonly string[], terminal: Terminal): Promise<void> {
  if (first === undefined || asksForHelp(first)) return terminal.print(groupHelp(group, entry));
  return runCommand(pick(entry.commands, first, `market ${group} --help`), rest, terminal);
}

async function runCommand(command: Command, args: readonly string[], terminal: Terminal): Promise<void> {
  if (args.some(asksForHelp)) return terminal.print(command.help());
  return command.run(args, terminal);
}

function asksForHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

function pick<T>(entries: Readonly<Record<string, T>>, name: string, help: string): T {
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (entry !== undefined) return entry;
  const nearest = nearestOf(name, Object.keys(entries));
  throw new UsageError(`There is no "${name}". ${nearest === undefined ? `See ${help}.` : `Did you mean "${nearest}"?`}`);
}

function reportFailure(failure: unknown, terminal: Terminal): void {
  const { refusal: error, nextSteps } = failure instanceof Refused ? failure : { refusal: failure, nextSteps: [] };
  if (!(error instanceof MarketApiError)) {
    terminal.complain(error instanceof Error ? error.message : String(error));
    return;
  }
  // A server wrote the message: control characters must not reach the terminal.
  const complain = (words: string) => terminal.complain(words.replace(/\p{Cc}+/gu, ' '));
  complain(`${error.code}: ${error.message}`);
  for (const { meaning, command } of error.nextActions) complain(`You can: ${meaning} ${command}`);
  for (const step of nextSteps) complain(step);
  if (error.requestId !== undefined) complain(`request id: ${error.requestId}`);
}
