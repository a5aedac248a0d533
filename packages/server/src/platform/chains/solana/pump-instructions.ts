/** pump.fun's instruction that creates a coin (`create_v2`): accounts and data in the order of its published interface. */
import type { Address } from '@solana/addresses';
import { AccountRole, type Instruction } from '@solana/instructions';
import { deriveAddress } from './derived-address.ts';
import { keyBytes, textBytes, u64 } from './instruction-bytes.ts';
import { ASSOCIATED_TOKEN_PROGRAM, PUMP_MAYHEM_PROGRAM, PUMP_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from './programs.ts';
import { deriveCurve, deriveGlobal } from './pump-accounts.ts';
import { deriveTokenAccount } from './token-account.ts';

export interface PumpCoin {
  readonly mint: Address;
  /** The payer, recorded as creator, who earns the creator's share of trading fees. */
  readonly wallet: Address;
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
}

const CREATE_V2 = Buffer.from('d6904cec5f8b31b4', 'hex');
/** Options: no mayhem mode, no cashback, the usual creator fee, no rewards for holders. */
const PLAIN = Buffer.concat([Buffer.of(0, 0), u64(0n), Buffer.of(0)]);

export async function createPumpCoin({ mint, wallet, name, symbol, uri }: PumpCoin): Promise<Instruction> {
  const [mintAuthority, curve, global, eventAuthority, params, vault, state] = await Promise.all([
    deriveAddress(PUMP_PROGRAM, ['mint-authority']),
    deriveCurve(mint),
    deriveGlobal(),
    deriveAddress(PUMP_PROGRAM, ['__event_authority']),
    deriveAddress(PUMP_MAYHEM_PROGRAM, ['global-params']),
    deriveAddress(PUMP_MAYHEM_PROGRAM, ['sol-vault']),
    deriveAddress(PUMP_MAYHEM_PROGRAM, ['mayhem-state', keyBytes(mint)]),
  ]);
  const [curveTokens, vaultTokens] = await Promise.all([
    deriveTokenAccount(curve, mint, TOKEN_2022_PROGRAM),
    deriveTokenAccount(vault, mint, TOKEN_2022_PROGRAM),
  ]);
  return {
    programAddress: PUMP_PROGRAM,
    accounts: [
      { address: mint, role: AccountRole.WRITABLE_SIGNER },
      { address: mintAuthority, role: AccountRole.READONLY },
      { address: curve, role: AccountRole.WRITABLE },
      { address: curveTokens, role: AccountRole.WRITABLE },
      { address: global, role: AccountRole.READONLY },
      { address: wallet, role: AccountRole.WRITABLE_SIGNER },
      { address: SYSTEM_PROGRAM, role: AccountRole.READONLY },
      { address: TOKEN_2022_PROGRAM, role: AccountRole.READONLY },
      { address: ASSOCIATED_TOKEN_PROGRAM, role: AccountRole.READONLY },
      { address: PUMP_MAYHEM_PROGRAM, role: AccountRole.WRITABLE },
      { address: params, role: AccountRole.READONLY },
      { address: vault, role: AccountRole.WRITABLE },
      { address: state, role: AccountRole.WRITABLE },
      { address: vaultTokens, role: AccountRole.WRITABLE },
      { address: eventAuthority, role: AccountRole.READONLY },
      { address: PUMP_PROGRAM, role: AccountRole.READONLY },
    ],
    data: Buffer.concat([CREATE_V2, textBytes(name), textBytes(symbol), textBytes(uri), keyBytes(wallet), PLAIN]),
  };
}
