/** Commands of a deployment. They need the server, so only a checkout of this repository has them. */
import type { Command } from '../command.ts';
import { auditCommand } from './audit-command.ts';
import { earnRouterCommand } from './earn-router-command.ts';
import { reconcileCommand } from './reconcile-command.ts';
import { rotateKeysCommand } from './rotate-keys-command.ts';
import { signerCommand } from './signer-command.ts';

export const serverCommands: Readonly<Record<string, Command>> = {
  audit: auditCommand,
  reconcile: reconcileCommand,
  'rotate-keys': rotateKeysCommand,
  signer: signerCommand,
  'earn-router': earnRouterCommand,
};
