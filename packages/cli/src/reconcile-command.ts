/** `market reconcile`: makes books and chain agree again after an old backup was restored. */
import type { Command } from './command.ts';

const HELP = `market reconcile

Looks on every chain for transfers of the treasury that the books do not know.
Marks payouts as paid that such a transfer has paid, books the others as unbooked, and opens outflow.
Uses the settings of the service (environment or .env in this folder). Safe to repeat.
Afterwards run market audit.`;

export const reconcileCommand: Command = {
  summary: 'Make books and chain agree after a restore, then open outflow',
  help: () => HELP,
  async run(_args, terminal) {
    const { reconcileDeployment } = await import('@market/server/reconcile');
    const { lines, paid, unexplained } = await reconcileDeployment();
    for (const line of lines) terminal.print(line);
    terminal.print(`${paid} payouts were paid already, ${unexplained} transfers belong to no payout. Outflow is open.`);
  },
};
