/** Replaces `server/` in the installed package, which has no server: explains where these commands are. */
import type { Command } from './command.ts';

const NAMES = ['audit', 'reconcile', 'rotate-keys', 'signer', 'earn-router'];

export const serverCommands: Readonly<Record<string, Command>> = Object.fromEntries(NAMES.map((name) => [name, elsewhere(name)] as const));

function elsewhere(name: string): Command {
  const where = `market ${name} works on a deployment, and this package has no server. Run it in a checkout of the service: npm run market -- ${name}`;
  return {
    summary: 'Only in a checkout of the service',
    help: () => where,
    async run() {
      throw new Error(where);
    },
  };
}
