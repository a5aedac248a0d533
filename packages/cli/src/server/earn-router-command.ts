/** `market earn-router`: the contract that moves the treasury's USDC into vaults. */
import { type Command, UsageError } from '../command.ts';

const HELP = `market earn-router check
market earn-router deploy [--network base-mainnet] [--yes]

check looks at the configured router and vaults on chain (EARN_ROUTER_EVM_ADDRESS, EARN_VENUES).
deploy prints the address and the cost, and with --yes deploys the router with the treasury's key. The address is the same on every network.
Uses the settings of the service (environment or .env in this folder).`;

export const earnRouterCommand: Command = {
  summary: 'Check or deploy the contract that moves USDC into vaults',
  help: () => HELP,
  async run([action, ...flags], terminal) {
    if (action === 'check' && flags.length === 0) {
      const { checkEarnRouter } = await import('@market/server/earn-router');
      const { lines, isSound } = await checkEarnRouter();
      for (const line of lines) terminal.print(line);
      if (!isSound) throw new Error('Earn cannot be used with these settings.');
      return;
    }
    if (action !== 'deploy') throw new UsageError(`market earn-router does not know ${action ?? 'nothing to do'}.`);
    const { network, confirmed } = readFlags(flags);
    const { deployEarnRouter } = await import('@market/server/earn-router');
    for (const line of await deployEarnRouter(network, confirmed)) terminal.print(line);
  },
};

function readFlags(flags: readonly string[]): { readonly network: string; readonly confirmed: boolean } {
  let network = 'base-mainnet';
  let confirmed = false;
  for (let index = 0; index < flags.length; index++) {
    if (flags[index] === '--yes') confirmed = true;
    else if (flags[index] === '--network' && flags[index + 1] !== undefined) network = flags[++index] ?? network;
    else throw new UsageError(`market earn-router does not know ${flags[index]}.`);
  }
  return { network, confirmed };
}
