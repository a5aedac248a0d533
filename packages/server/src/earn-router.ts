/** Implements `market earn-router`: checks the contract that moves USDC into vaults, or deploys it once. */
import { type NetworkName, networkNames } from '@market/contract';
import { formatEther } from 'viem/utils';
import { withChains } from './boot/with-deployment.ts';
import { treasuryTurn } from './features/payouts/index.ts';
import type { Chain } from './platform/chains/chain.ts';
import type { EarnRouterDeployer } from './platform/chains/earn-router.ts';
import { takeSigningTurn } from './platform/chains/signing-turn.ts';

export interface RouterReport {
  readonly lines: readonly string[];
  readonly isSound: boolean;
}

export async function checkEarnRouter(): Promise<RouterReport> {
  return await withChains(async ({ chains, config: { earn } }) => {
    const lines: string[] = [];
    if (earn.router === undefined) return { lines: ['EARN_ROUTER_EVM_ADDRESS is not set.'], isSound: false };
    const problems: string[] = [];
    for (const { key, network, at } of earn.venues) {
      const problem = await chains.get(network)?.venues?.check(at);
      lines.push(`${key} on ${network}: ${problem ?? 'sound'}`);
      if (problem !== undefined) problems.push(problem);
    }
    if (earn.venues.length > 0) return { lines, isSound: problems.length === 0 };
    const { deployer, chain } = requireRouter(chains, 'base-mainnet');
    const problem = await deployer.check(earn.router);
    return { lines: [`the router ${earn.router} on ${chain.network}: ${problem ?? 'sound'}`], isSound: problem === undefined };
  });
}

/** Returns the plan with its cost; deploys only when `confirmed`. */
export async function deployEarnRouter(network: string, confirmed: boolean): Promise<readonly string[]> {
  return await withChains(async ({ chains, database }) => {
    const { chain, deployer } = requireRouter(chains, network);
    const { address } = deployer;
    if ((await deployer.check(address)) === undefined) return [`The router is at ${address} on ${network} already.`, settingLine(address)];
    const cost = formatEther(await deployer.estimate());
    const plan = `The router costs about ${cost} ETH on ${network}, paid by the treasury ${chain.treasury}. Its address will be ${address}.`;
    if (!confirmed) return [plan, 'Nothing was sent. Add --yes to deploy it.'];
    // The service may be signing with the same account.
    const { reference } = await takeSigningTurn(database.pool, treasuryTurn(chain), async () => {
      const signed = await deployer.sign();
      await chain.broadcast(signed);
      return signed;
    });
    await untilDeployed(deployer, reference);
    return [plan, `Deployed in ${reference}.`, settingLine(address)];
  });
}

const settingLine = (address: string): string => `Set EARN_ROUTER_EVM_ADDRESS=${address}`;

function requireRouter(
  chains: ReadonlyMap<NetworkName, Chain>,
  name: string,
): { readonly chain: Chain; readonly deployer: EarnRouterDeployer } {
  const network = networkNames.find((known) => known === name);
  const chain = network && chains.get(network);
  if (chain?.earnRouter === undefined) throw new Error(`${name} is no EVM network of this deployment.`);
  return { chain, deployer: chain.earnRouter };
}

const LOOKS = 120;
const LOOK_MS = 500;

async function untilDeployed(deployer: EarnRouterDeployer, reference: string): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    if ((await deployer.check(deployer.address)) === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(`${reference} was sent and is in no block yet. Run market earn-router check later.`);
}
