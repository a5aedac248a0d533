/** Registers agents on the sandbox's Base chain, and reads the registry with a foreign client. */
import assert from 'node:assert/strict';
import { IDENTITY_REGISTRY_ADDRESS, sandboxIdentityRegistry } from '@market/sandbox/evm';
import { createPublicClient, http } from 'viem';
import { callSigned, type OwnedAgent } from '../agent-wallets/stage.ts';
import { type Envelope, expectCall, type Reply } from '../harness/http.ts';
import type { PayableMarket } from '../harness/payers.ts';
import { until } from '../money/money.ts';

/** Above the highest gas cost of a registration. */
export const ENOUGH_WEI = 10n ** 16n;

export async function register(url: string, agent: OwnedAgent): Promise<Reply> {
  return await callSigned(url, agent.owner, `POST /api/agents/${agent.id}/onchain-identity`, {});
}

export async function readIdentity(url: string, agent: OwnedAgent): Promise<Envelope> {
  return await expectCall(url, 200, `GET /api/agents/${agent.id}/onchain-identity`, { key: agent.key });
}

export async function untilRegistered(url: string, agent: OwnedAgent): Promise<Envelope> {
  return await until(`the registration of ${agent.id}`, async () => {
    const identity = await readIdentity(url, agent);
    assert.equal(identity['last_failure'], null);
    return identity['status'] === 'registered' ? identity : undefined;
  });
}

/** The registry on chain, read without our own readers. */
export function openRegistry({ localChains }: Pick<PayableMarket, 'localChains'>) {
  const base = localChains?.networks.find(({ network }) => network === 'base-mainnet');
  assert.ok(base);
  const client = createPublicClient({ transport: http(base.rpcUrl) });
  const contract = { address: IDENTITY_REGISTRY_ADDRESS, abi: sandboxIdentityRegistry.abi } as const;
  return {
    caip10: `${base.caip2}:${IDENTITY_REGISTRY_ADDRESS}`,
    countOf: (wallet: string) => client.readContract({ ...contract, functionName: 'balanceOf', args: [wallet as `0x${string}`] }),
    ownerOf: (id: string) => client.readContract({ ...contract, functionName: 'ownerOf', args: [BigInt(id)] }),
    uriOf: (id: string) => client.readContract({ ...contract, functionName: 'tokenURI', args: [BigInt(id)] }),
    walletOf: (id: string) => client.readContract({ ...contract, functionName: 'getAgentWallet', args: [BigInt(id)] }),
  };
}
