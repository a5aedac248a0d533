/** `market signer`: holds the treasury keys in a process of its own. */
import type { Command } from '../command.ts';

const HELP = `market signer

Signs payouts for the service, which then needs no treasury key: set SIGNER_URL and SIGNER_SECRET there.
Reads each payout from the database itself and keeps within OUTFLOW_HOURLY_USD, OUTFLOW_FLOAT_USD and PAYOUT_ACCOUNT_*.
Needs DATABASE_URL, SIGNER_SECRET, the treasury keys and the RPC addresses. Listens on HOST and SIGNER_PORT.`;

export const signerCommand: Command = {
  summary: 'Hold the treasury keys and sign for the service',
  help: () => HELP,
  async run(_args, terminal) {
    const { startSigner } = await import('@market/server/signer');
    const { url, treasuries, close } = await startSigner();
    const enough = terminal.interruption();
    for (const treasury of treasuries) terminal.print(`signs for ${treasury}`);
    terminal.print(`ready ${url}`);
    await new Promise<void>((resolve) => enough.addEventListener('abort', () => resolve(), { once: true }));
    await close();
  },
};
