/** Published reviews → wire records. */
import { formatUnits, networkFacts, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { PreparedFeedback } from '../../../platform/chains/feedback-registry.ts';
import { NETWORK, type OnchainFeedbackContext, type Registry } from './feedback-context.ts';
import { pointsOf } from './feedback-file.ts';
import type { FeedbackRow } from './repository.ts';
import type { Reviewed } from './require-author.ts';

export type FeedbackAnswer = OperationAnswer<Operations['onchainFeedback']['read']>['data'];
type Cost = NonNullable<FeedbackAnswer['cost']>;
type Unsigned = OperationAnswer<Operations['onchainFeedback']['prepare']>['data']['transaction'];

const { decimals } = networkFacts[NETWORK].coin;

/** The cost of publishing. `prepared` is undefined if the chain could not be asked. */
export function presentCost(wallet: string, prepared: Pick<PreparedFeedback, 'expected' | 'required' | 'balance'> | undefined): Cost {
  const shown = (wei: bigint | undefined) => (wei === undefined ? null : formatUnits(wei, decimals));
  return { wallet, cost_eth: shown(prepared?.expected), required_eth: shown(prepared?.required), balance_eth: shown(prepared?.balance) };
}

export function presentUnpublished(registry: Registry, reviewed: Reviewed, wallets: readonly string[], cost: Cost | null): FeedbackAnswer {
  return {
    status: 'none',
    registry: registry.name,
    agent_registry: reviewed.agentRegistry,
    agent_id: reviewed.onchainId,
    value: pointsOf(reviewed.review.rating),
    wallets: [...wallets],
    cost,
    file_url: null,
    tx_hash: null,
    explorer_url: null,
    published_at: null,
  };
}

export function presentFeedback({ explorerUrl }: Pick<OnchainFeedbackContext, 'explorerUrl'>, row: FeedbackRow): FeedbackAnswer {
  return {
    status: row.state === 'published' ? 'published' : 'sent',
    registry: row.registry,
    agent_registry: row.agentRegistry,
    agent_id: row.onchainId,
    value: row.value,
    wallets: [row.clientWallet],
    cost: null,
    file_url: row.uri,
    tx_hash: row.txHash,
    explorer_url: row.txHash === null ? null : explorerUrl(NETWORK, row.txHash),
    published_at: row.publishedAt === null ? null : toWireTime(row.publishedAt),
  };
}

export function presentCall({ transaction }: PreparedFeedback): Unsigned {
  const { chainId, from, to, data, gas, maxFeePerGas, maxPriorityFeePerGas, nonce } = transaction;
  return {
    chain_id: chainId,
    from,
    to,
    data,
    value: '0x0',
    gas,
    max_fee_per_gas: maxFeePerGas,
    max_priority_fee_per_gas: maxPriorityFeePerGas,
    nonce,
  };
}
