/** `market rotate-keys`: seals every stored secret under the current master key. */
import type { Command } from '../command.ts';

const HELP = `market rotate-keys

Seals every stored secret under MASTER_KEY that is still sealed under one of MASTER_KEYS_OLD.
Run it when all processes have the new settings; the service goes on serving meanwhile. Safe to repeat.
When it reports nothing left, the former keys can be removed from MASTER_KEYS_OLD.`;

export const rotateKeysCommand: Command = {
  summary: 'Seal stored secrets under the current master key',
  help: () => HELP,
  async run(_args, terminal) {
    const { rotateDeployment } = await import('@market/server/rotate-keys');
    const { resealed, unreadable } = await rotateDeployment();
    for (const [table, count] of Object.entries(resealed)) terminal.print(`${table}: ${count} sealed anew`);
    for (const row of unreadable) terminal.complain(`cannot be opened: ${row}`);
    if (unreadable.length > 0) throw new Error('Some secrets cannot be opened. Keep MASTER_KEYS_OLD and look at these rows.');
    terminal.print('Nothing is left under a former key. MASTER_KEYS_OLD can be emptied.');
  },
};
