/** `market reconcile`: makes books and chain agree again after an old backup was restored. */
import { type Command, type Terminal, UsageError } from '../command.ts';

const HELP = `market reconcile [--send <id>]

Looks on every chain for transfers of the treasury that the books do not know.
Marks payouts as paid that such a transfer has paid, books the others as unbooked, and opens outflow.
Lists what agents' wallets and the fee vault had queued before the restore. Nothing of it is sent: it may have left already.
Look at the wallet on chain. If it shows nothing, --send <id> lets that one leave.
Uses the settings of the service (environment or .env in this folder). Safe to repeat.
Afterwards run market audit.`;

export const reconcileCommand: Command = {
  summary: 'Make books and chain agree after a restore, then open outflow',
  help: () => HELP,
  async run([flag, id, ...rest], terminal) {
    if (flag === undefined) return await reconcile(terminal);
    if (flag !== '--send' || rest.length > 0) throw new UsageError(`market reconcile does not know ${rest[0] ?? flag}.`);
    if (id === undefined) throw new UsageError('market reconcile --send needs the id of what waits.');
    const { sendAfterRestore } = await import('@market/server/reconcile');
    if (!(await sendAfterRestore(id))) throw new Error(`Nothing that waits since a restore has the id ${id}.`);
    terminal.print(`${id} leaves within a minute.`);
  },
};

async function reconcile(terminal: Terminal): Promise<void> {
  const { reconcileDeployment } = await import('@market/server/reconcile');
  const { lines, paid, unexplained, waiting } = await reconcileDeployment();
  for (const line of lines) terminal.print(line);
  terminal.print(`${paid} payouts were paid already, ${unexplained} transfers belong to no payout. Outflow is open.`);
  for (const { id, what, network, wallet, destination } of waiting)
    terminal.print(
      `${id} waits: ${what} on ${network} from ${wallet} to ${destination}, queued before the restore. Look at the chain, then run market reconcile --send ${id}.`,
    );
}
