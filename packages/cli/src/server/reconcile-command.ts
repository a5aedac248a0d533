/** `market reconcile`: makes books and chains agree again after a restore of an old backup. */
import type { EndedPowers } from '@market/server/reconcile';
import { type Command, UsageError } from '../command.ts';

const HELP = `market reconcile [--restored]

Compares every account that pays with its chain: treasuries, the vault of creator fees, vaults of Earn, agents' wallets.
Books what came in or left there and is missing in the books, and says whose it was.
Then audits the books, and opens outflow if the audit is clean. Until then nothing leaves any account.
Uses the settings of the service (environment or .env in this folder). Safe to repeat.

  --restored  A backup was put back, so what it gave back to people ends: sessions, tokens of connected programs, payout changes
              and moves that wait. Linked wallets vouch for money again after a day. Agents that programs registered stop until
              their person connects the program again, sweeps into Earn until their owner turns them on. Everybody is notified once per run.
              Open deadlines of orders, disputes and bounties leave a grace, since what was done in time may be lost.
              Without it this happens only when the database is in another place than before.`;

const RESTORED = '--restored';
const PROGRESS_EVERY = 500;

function sayEnded({ sessions, connections, payoutChanges, moves, agents, sweeps, links, notified, deadlines }: EndedPowers): string {
  const { notBefore, orders, requests, contests, disputes, bounties } = deadlines;
  return (
    `The books were restored. Ended: ${sessions} sessions, the tokens of ${connections} connections, ${payoutChanges} payout changes, ` +
    `${moves} moves, ${sweeps} sweeps into Earn. Links that count as new: ${links}. Agents of programs that stopped: ${agents}. Notified: ${notified}.\n` +
    `Open deadlines end no sooner than ${notBefore} UTC. They were moved for ${orders} orders, ${requests} requests in workspaces, ` +
    `${contests} payments that can be contested, ${disputes} disputes, ${bounties} bounties and claims. Repeat without ${RESTORED}.`
  );
}

export const reconcileCommand: Command = {
  summary: 'Make books and chains agree after a restore, then open outflow',
  help: () => HELP,
  async run(words, terminal) {
    const unknown = words.find((word) => word !== RESTORED);
    if (unknown !== undefined) throw new UsageError(`market reconcile does not know ${unknown}.`);
    const { reconcileDeployment } = await import('@market/server/reconcile');
    const { arrived, lines, holders, findings, unchecked, isOpen } = await reconcileDeployment({
      isRestored: words.includes(RESTORED),
      onEnded: (ended) => terminal.print(sayEnded(ended)),
      onProgress(compared) {
        if (compared % PROGRESS_EVERY === 0) terminal.print(`${compared} accounts compared…`);
      },
    });
    for (const line of lines) terminal.print(line);
    terminal.print(
      `${holders} accounts compared. ${lines.length} transfers had left and ${arrived} had come in that the books did not know.`,
    );
    if (isOpen) {
      terminal.print('The audit is clean. Outflow is open.');
      return;
    }
    for (const { id, broken } of findings) terminal.print(`${id} does not hold: ${broken}. Run market audit for the rows.`);
    for (const { network, reason } of unchecked) terminal.print(`${network} could not be asked: ${reason}`);
    throw new Error('Outflow stays closed until the audit is clean and every network was asked. Run market reconcile again.');
  },
};
