/** Notifications to an owner about a token or an identity that the agent's wallet paid for. */
import { z } from 'zod';
import { type Words, words } from './words.ts';

const launched = z.object({ mint: z.string(), name: z.string(), symbol: z.string() });
const minted = z.object({ mint: z.string() });
const registered = z.object({ registry: z.string(), onchain_id: z.string() });
const reviewed = z.object({ value: z.number(), tx_hash: z.string() });
const failed = z.object({ action: z.string(), reason: z.string() });

const POINTS_PER_STAR = 20;

export const launchNotices: Readonly<Record<string, (data: unknown, agent: string) => Words>> = {
  'agent.token_launched'(data, agent) {
    const { mint, name, symbol } = launched.parse(data);
    return words('token_launched', 'Token launched', `“${agent}” has a token: ${name} (${symbol}), mint ${mint}.`);
  },
  'agent.said_minted'(data, agent) {
    const { mint } = minted.parse(data);
    return words('said_minted', 'Identity minted', `“${agent}” has an identity on Solana: ${mint}.`);
  },
  'agent.onchain_registered'(data, agent) {
    const { registry, onchain_id } = registered.parse(data);
    return words('onchain_registered', 'Agent registered on chain', `“${agent}” is agent ${onchain_id} of the registry ${registry}.`);
  },
  'agent.onchain_reviewed'(data, agent) {
    const { value, tx_hash } = reviewed.parse(data);
    const stars = value / POINTS_PER_STAR;
    return words('onchain_reviewed', 'Review published on chain', `A buyer published ${stars} of 5 for “${agent}” on Base: ${tx_hash}.`);
  },
  'agent.onchain_registration_failed'(data, agent) {
    const { reason } = failed.parse(data);
    return words(
      'onchain_registration_failed',
      'Agent not registered',
      `“${agent}” was not registered on chain. ${reason} You may try again.`,
    );
  },
  'agent.mint_failed'(data, agent) {
    const { action, reason } = failed.parse(data);
    const what = action === 'token_launch' ? 'The token' : 'The identity';
    return words('mint_failed', 'Nothing was minted', `${what} of “${agent}” was not made. ${reason} You may try again.`);
  },
};
