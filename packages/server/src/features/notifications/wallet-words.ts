/** Notifications to an owner about an agent's server wallets, keys and endpoint: sends, failures, new addresses and key exports. */
import { networkNames } from '@market/contract';
import { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { launchNotices } from './launch-words.ts';
import { chainName, type Words, words } from './words.ts';

const network = z.enum(networkNames).transform(chainName);
const named = z.object({ agent_name: z.string() });
const moved = z.object({ network, amount: z.string(), destination: z.string(), purpose: z.string(), reason: z.string().optional() });
const addressed = z.object({ network, address: z.string().nullable(), effective_at: z.string().optional() });

const found = z.object({ network, what: z.string(), reference: z.string(), earn_usd: z.string().optional() });
const owners = z.object({ agent_id: z.string(), wallet: z.string(), user_id: z.string() });
const owned = z.object({ owner_wallet: z.string().nullable() });
const endpoint = z.object({ endpoint_host: z.string().nullable() });

const KEY_NOT_YOU = 'If this was not you, replace it again and check who owns the agent.';
const NOT_YOU = 'If this was not you, sign in and move the money away at once.';

/** Event that also goes to the wallets that watch the account. */
export const KEY_RECOVERED = 'agent.key_recovered';

const notices: Readonly<Record<string, (data: unknown, agent: string) => Words>> = {
  ...launchNotices,
  'agent.wallet_sent'(data, agent) {
    const { amount, network: chain, destination, purpose } = moved.parse(data);
    const who = purpose === 'withdraw' ? `“${agent}” withdrew` : 'You sent';
    return words('wallet_sent', 'Money left the wallet', `${who} ${amount} from the wallet of “${agent}” on ${chain} to ${destination}.`);
  },
  'agent.wallet_send_failed'(data, agent) {
    const { amount, network: chain, reason = 'unknown' } = moved.parse(data);
    return words('wallet_send_failed', 'Nothing was sent', `${amount} stayed in the wallet of “${agent}” on ${chain}. ${reason}`);
  },
  'agent.wallet_found'(data, agent) {
    const { what, network: chain, reference, earn_usd: forEarn } = found.parse(data);
    const next =
      forEarn === undefined
        ? 'A repeat under the same Idempotency-Key does not leave again. Without the key look at the wallet on chain before you send again.'
        : `It is no deposit yet. Repeat the call under its Idempotency-Key, or call POST /api/earn/pool/deposit with the key of the agent, incoming_tx_hash ${reference}, amount_usd ${forEarn} and the vault.`;
    return words(
      'wallet_found',
      'A send was found on the chain',
      `${what} left the wallet of “${agent}” on ${chain} (${reference}). Our records do not have it: a backup was restored, or somebody used the key of the wallet elsewhere. ${next}`,
    );
  },
  'agent.sweep_stopped'(_data, agent) {
    return words(
      'sweep_stopped',
      'Deposits by themselves have stopped',
      `The marketplace was put back to an earlier moment. “${agent}” no longer deposits idle USDC into Earn by itself, because you may have stopped that since. Turn it on again if you want it.`,
    );
  },
  'agent.wallet_key_exported'(data, agent) {
    const { network: chain, address } = addressed.parse(data);
    return words(
      'wallet_key_exported',
      'Private key exported',
      `Somebody with your sign-in or wallet exported the key of ${address}, the wallet of “${agent}” on ${chain}. ${NOT_YOU}`,
    );
  },
  'agent.key_rotated'(_data, agent) {
    return words('agent_key_replaced', 'API key replaced', `“${agent}” has a new API key; the old one no longer works. ${KEY_NOT_YOU}`);
  },
  [KEY_RECOVERED](_data, agent) {
    return words(
      'agent_key_recovered',
      'API key read by its owner',
      `Somebody with your sign-in or wallet read the API key of “${agent}”. If this was not you, replace the key.`,
    );
  },
  'agent.owner_conflict'(data, agent) {
    const { agent_id: id, wallet, user_id: account } = owners.parse(data);
    return words(
      'owner_conflict',
      `Who owns “${agent}”?`,
      `The wallet ${wallet} and the account ${account} both own it and are not linked. Work and payouts go on. Keys, payout and withdrawals cannot be changed until the wallet decides: it signs the link of the account (POST /api/agents/link), or removes the account (PATCH /api/agents/${id} with idp_user_id null).`,
    );
  },
  'agent.owned'(data, agent) {
    const { owner_wallet: wallet } = owned.parse(data);
    return words(
      'agent_owned',
      'The agent has an owner',
      `“${agent}” got its first owner${wallet === null ? '' : `, ${wallet},`} after a backup was restored. For a day its money moves only after a wait. If the agent was yours before, write to the operator of the marketplace now.`,
    );
  },
  'agent.endpoint_changed'(data, agent) {
    const { endpoint_host: host } = endpoint.parse(data);
    const rule = host === null ? `“${agent}” gets no calls any more.` : `Calls for “${agent}” now go to ${host}, with what its orders say.`;
    return words('endpoint_changed', 'Endpoint changed', `${rule} If this was not you, set the endpoint back and replace the API key.`);
  },
  'agent.withdraw_address_requested'(data, agent) {
    const { network: chain, address, effective_at: at } = addressed.parse(data);
    return words(
      'withdraw_address_requested',
      'Withdraw address will change',
      `“${agent}” may withdraw to ${address} on ${chain} from ${at?.slice(0, 16)} UTC on. Set the old address again if this was not you.`,
    );
  },
  'agent.withdraw_address_changed'(data, agent) {
    const { network: chain, address } = addressed.parse(data);
    const rule = address === null ? `“${agent}” can no longer withdraw on ${chain}.` : `“${agent}” may withdraw to ${address} on ${chain}.`;
    return words('withdraw_address_changed', 'Withdraw address changed', rule);
  },
};

export const walletTypes: readonly string[] = Object.keys(notices);

export function noticeOfWallet(event: StoredEvent): Words {
  const write = notices[event.type];
  if (write === undefined) throw new Error(`no words for ${event.type}`);
  return write(event.data, named.parse(event.context).agent_name);
}
