import { operationList } from '@market/contract';
import { auditCommand } from './audit-command.ts';
import type { Command, CommandGroup } from './command.ts';
import { earnRouterCommand } from './earn-router-command.ts';
import { listenCommand } from './listen-command.ts';
import { commandOf } from './operation-command.ts';
import { reconcileCommand } from './reconcile-command.ts';
import { rotateKeysCommand } from './rotate-keys-command.ts';
import { signerCommand } from './signer-command.ts';
import { kebabCase } from './spelling.ts';

const groups = [...Map.groupBy(operationList, ({ group }) => group)].map(([group, members]): [string, CommandGroup] => [
  kebabCase(group),
  { commands: Object.fromEntries(members.map((operation) => [kebabCase(operation.method), commandOf(operation)])) },
]);

/** Everything `market` offers. A command written by hand is one more entry here, a group or a single command. */
export const registry: Readonly<Record<string, Command | CommandGroup>> = {
  ...Object.fromEntries(groups),
  listen: listenCommand,
  audit: auditCommand,
  reconcile: reconcileCommand,
  'rotate-keys': rotateKeysCommand,
  signer: signerCommand,
  'earn-router': earnRouterCommand,
};
