/** For tests: facilitators on their own sandbox chains, and payers with the official x402 clients. */

import { randomBytes } from 'node:crypto';
import { networkFacts } from '@market/contract';
import { USDC_ADDRESS } from '@market/sandbox/evm';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import type pg from 'pg';
import type { Hex } from 'viem';
import type { LocalAccount } from 'viem/accounts';
import type { JsonRpcClient } from '../src/platform/chains/json-rpc.ts';
import type { NetworkEndpoint } from '../src/platform/chains/network-endpoints.ts';
import { createLocalEvmSigner } from '../src/platform/chains/treasury-signer.ts';
import { openEvmContext } from '../src/platform/facilitator/evm-domain.ts';
import { createEvmSettler } from '../src/platform/facilitator/evm-settler.ts';
import type { Facilitator, PaymentRequirements, StandardPayment } from '../src/platform/facilitator/facilitator.ts';
import { createInProcessFacilitator } from '../src/platform/facilitator/in-process-facilitator.ts';
import type { PendingSettlement, PendingSettlements } from '../src/platform/facilitator/pending-settlements.ts';
import type { Settler } from '../src/platform/facilitator/settler.ts';
import { type Bend, startBentNode } from './bent-node.ts';
import { startTestChain, type TestChainOptions } from './evm-test-chain.ts';

export const PRICE = 550_000n;
const ALT_CHAIN_ID = Number(networkFacts['alt-mainnet'].local.caip2.split(':')[1]);

export function rememberInMemory(): PendingSettlements & { readonly kept: Map<string, PendingSettlement> } {
  const kept = new Map<string, PendingSettlement>();
  return {
    kept,
    find: async (identity) => kept.get(identity),
    keep: async (identity, settlement) => {
      kept.set(identity, settlement);
    },
  };
}

/** A store whose first look finds nothing, as for a process that looks just before another one writes. */
export function lookTooEarly(pendings: PendingSettlements): PendingSettlements {
  let looks = 0;
  return { ...pendings, find: async (identity) => (looks++ === 0 ? undefined : await pendings.find(identity)) };
}

export const silent = { warn: () => undefined, info: () => undefined };
const unmeasured = { gauge: () => undefined };

export const facilitate = (settlers: readonly Settler[]): Promise<Facilitator> =>
  createInProcessFacilitator({ settlers, log: silent, metrics: unmeasured });

export type EvmBench = Awaited<ReturnType<typeof openEvmBench>>;

export interface EvmBenchOptions extends TestChainOptions {
  readonly network?: 'base-mainnet' | 'alt-mainnet';
  readonly pool: pg.Pool;
}

export async function openEvmBench({ network = 'base-mainnet', pool, ...options }: EvmBenchOptions) {
  const chain = await startTestChain({ ...options, ...(network === 'alt-mainnet' && { chainId: ALT_CHAIN_ID }) });
  const sponsorKey = randomBytes(32).toString('hex');
  const signer = createLocalEvmSigner(sponsorKey);
  await chain.fund(signer.address, { wei: 10n ** 18n });
  const caip2 = `eip155:${chain.node.chainId}`;
  const endpoint: NetworkEndpoint = {
    network,
    caip2,
    urls: [chain.node.url],
    secondUrl: undefined,
    usdcAddress: USDC_ADDRESS,
    isMainnet: false,
  };
  const treasury = chain.chain.treasury as Hex;
  const requirement: PaymentRequirements = {
    scheme: 'exact',
    network: caip2 as PaymentRequirements['network'],
    asset: USDC_ADDRESS,
    amount: String(PRICE),
    payTo: treasury,
    maxTimeoutSeconds: 120,
    extra: { name: 'USD Coin', version: '2' },
  };

  return {
    ...chain,
    chain,
    endpoint,
    sponsorKey,
    sponsor: signer.address,
    treasury,
    requirement,

    /** Opens a facilitator as one process would have it. Several share the chain, and the store if given the same one. */
    async open({
      pendings = rememberInMemory(),
      confirmationMs = 10_000,
      turnMs = 10_000,
      rpc,
    }: {
      pendings?: PendingSettlements;
      confirmationMs?: number;
      turnMs?: number;
      rpc?: JsonRpcClient;
    } = {}) {
      const context = openEvmContext(endpoint, treasury, rpc);
      return await facilitate([createEvmSettler(context, { signer, pool, pendings }, { confirmationMs, turnMs })]);
    },

    /** A node that counts the calls to it and may change the answers. */
    async watch(bend: Bend = (_method, _params, ask) => ask(), { tries = 1 } = {}) {
      const asked: string[] = [];
      const noteAndBend: Bend = (method, params, ask) => {
        asked.push(method);
        return bend(method, params, ask);
      };
      const rpc = await startBentNode(chain.node.url, noteAndBend, { tries });
      return { rpc, count: (method: string) => asked.filter((one) => one === method).length };
    },

    pay: (account: LocalAccount, change: Partial<PaymentRequirements> = {}) => pay(network, account, { ...requirement, ...change }),
  };
}

/** A payment of the official client for these requirements, which then also judge the payment. */
export async function pay(
  network: StandardPayment['network'],
  account: LocalAccount,
  requirement: PaymentRequirements,
): Promise<StandardPayment> {
  const { payload } = await exactPaymentsOf(account).createPaymentPayload(2, requirement);
  return { network, requirement, payload };
}

/** The official client's signer of payments. */
export function exactPaymentsOf(account: LocalAccount): ExactEvmScheme {
  return new ExactEvmScheme(account as ConstructorParameters<typeof ExactEvmScheme>[0]);
}

/** The same payment with other terms under the old signature. */
export function edit(payment: StandardPayment, change: Record<string, unknown>): StandardPayment {
  const { authorization, ...rest } = payment.payload as { authorization: object };
  return { ...payment, payload: { ...rest, authorization: { ...authorization, ...change } } };
}

export function signTyped(
  { node, requirement }: EvmBench,
  buyer: LocalAccount,
  primaryType: string,
  fields: readonly string[],
  message: Record<string, unknown>,
): Promise<Hex> {
  const domain = { name: 'USD Coin', version: '2', chainId: node.chainId, verifyingContract: requirement.asset as Hex };
  const types = { [primaryType]: fields.map((field) => ({ name: field.replace(/:.*/, ''), type: field.replace(/.*:/, '') })) };
  return buyer.signTypedData({ domain, types, primaryType, message });
}
