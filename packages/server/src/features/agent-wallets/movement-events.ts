/** Events about an agent's wallets. Each notifies the owner. */
import { formatUnits, networkFacts } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import { type AgentRow, findAgent } from '../agents/index.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';
import type { MovementRow } from './repository.ts';

type WalletEvent =
  | 'agent.wallet_sent'
  | 'agent.wallet_send_failed'
  | 'agent.wallet_found'
  | 'agent.sweep_stopped'
  | 'agent.wallet_key_exported'
  | 'agent.withdraw_address_requested'
  | 'agent.withdraw_address_changed'
  | 'agent.token_launched'
  | 'agent.said_minted'
  | 'agent.mint_failed'
  | 'agent.onchain_registered'
  | 'agent.onchain_registration_failed'
  | 'agent.onchain_reviewed';

export async function appendOwnerEvent(
  tx: Tx,
  { events }: Pick<AgentWalletsContext, 'events'>,
  agent: Pick<AgentRow, 'id' | 'name' | 'ownerWallet' | 'ownerUserId'>,
  type: WalletEvent,
  data: Record<string, unknown>,
): Promise<void> {
  const context = { owner_wallet: agent.ownerWallet, owner_user_id: agent.ownerUserId, agent_name: agent.name };
  await events.append(tx, [{ type, subjectId: agent.id, agentId: agent.id, data, context }]);
}

export async function appendMovementEvent(
  tx: Tx,
  context: Pick<AgentWalletsContext, 'events'>,
  movement: MovementRow,
  type: 'agent.wallet_sent' | 'agent.wallet_send_failed',
  more: { readonly reference?: string; readonly reason?: string },
): Promise<void> {
  const agent = await findAgent(tx, movement.agentId);
  if (agent === undefined) return;
  const { id, purpose, network, destination } = movement;
  await appendOwnerEvent(tx, context, agent, type, { movement_id: id, purpose, network, destination, amount: amountOf(movement), ...more });
}

/** `25 USDC`, `0.5 SOL` */
export function amountOf({ network, asset, amount }: Pick<MovementRow, 'network' | 'asset' | 'amount'>): string {
  return `${formatUnits(amount, decimalsOf(network, asset))} ${asset === 'usdc' ? 'USDC' : networkFacts[network].coin.symbol}`;
}

const USDC_DECIMALS = 6;

export function decimalsOf(network: MovementRow['network'], asset: MovementRow['asset']): number {
  return asset === 'usdc' ? USDC_DECIMALS : networkFacts[network].coin.decimals;
}
