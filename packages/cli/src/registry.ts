import { groupBy, operationList } from '@market/contract';
import { serverCommands } from '#server-commands';
import type { Command, CommandGroup } from './command.ts';
import { listenCommand } from './listen-command.ts';
import { mcpCommand } from './mcp/mcp-command.ts';
import { commandOf } from './operation-command.ts';
import { kebabCase } from './spelling.ts';

const groups = [...groupBy(operationList, ({ group }) => group)].map(([group, members]): [string, CommandGroup] => [
  kebabCase(group),
  { commands: Object.fromEntries(members.map((operation) => [kebabCase(operation.method), commandOf(operation)])) },
]);

/** Every command and group of `market`. A command written by hand is one more entry here. */
export const registry: Readonly<Record<string, Command | CommandGroup>> = {
  ...Object.fromEntries(groups),
  listen: listenCommand,
  mcp: mcpCommand,
  ...serverCommands,
};
