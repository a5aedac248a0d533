/** What a launch and an identity mint write on chain, and what that costs. The funding record and the launch ask the same. */
import type { MintMetadata } from '../../platform/chains/solana/mint-size.ts';
import type { SolanaCosts } from '../../platform/wallets/wallet-chains.ts';
import type { AgentRow } from '../agents/index.ts';
import type { CustodyContext } from './custody-context.ts';
import { type MintCost, readMintCost } from './mint-costs.ts';
import type { MintPurpose } from './mint-movements.ts';

const NAME_CHARACTERS = 32;
const NAME_BYTES = 64;
const SAID_SYMBOL = 'ID';
/** An address of 44 characters: most have as many, none has more. */
const ANY_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const LONGEST_SYMBOL = 'S'.repeat(10);

type Place = Pick<CustodyContext, 'serviceName' | 'baseUrl'>;
type Named = Pick<AgentRow, 'id' | 'name'>;

export function planMint(place: Place, agent: Named, purpose: MintPurpose, mint: string, symbol: string): MintMetadata {
  return purpose === 'token_launch'
    ? { name: tokenName(agent.name, place.serviceName), symbol, uri: `${place.baseUrl}/api/tokens/${mint}/metadata.json` }
    : {
        name: fitName(agent.name, ''),
        symbol: SAID_SYMBOL,
        uri: `${place.baseUrl}/api/said/card/${agent.id}`,
        nonTransferable: true,
      };
}

/** Never less than a launch with any symbol costs. */
export async function quoteMint(
  place: Place & Pick<CustodyContext, 'walletChains'>,
  costs: SolanaCosts,
  agent: Named,
  purpose: MintPurpose,
  payer: string,
): Promise<MintCost> {
  const metadata = planMint(place, agent, purpose, ANY_MINT, LONGEST_SYMBOL);
  return await readMintCost(costs, { launcher: place.walletChains.tokenLauncher, metadata, payer, mint: ANY_MINT });
}

/** The agent's name with the marketplace's suffix, unless it has that already. */
export function tokenName(agentName: string, serviceName: string): string {
  const suffix = ` by ${serviceName}`;
  const bare = agentName.toLowerCase().endsWith(suffix.toLowerCase()) ? agentName.slice(0, -suffix.length) : agentName;
  return fitName(bare, suffix);
}

/** Cut between characters so that both fit. A suffix that leaves no room for the name is cut, too. */
function fitName(name: string, suffix: string): string {
  const characters = [...name.trim()];
  const end = [...suffix].slice(0, NAME_CHARACTERS - 2).join('');
  const fits = (text: string) => text.length <= NAME_CHARACTERS && Buffer.byteLength(text) <= NAME_BYTES;
  while (characters.length > 1 && !fits(characters.join('').trimEnd() + end)) characters.pop();
  return characters.join('').trimEnd() + end;
}

/** Lamports as SOL, rounded up to six decimals. */
export function inSol(lamports: bigint): number {
  return Number((lamports + 999n) / 1_000n) / 1_000_000;
}
