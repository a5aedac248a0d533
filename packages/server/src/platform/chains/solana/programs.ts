/** Addresses of the on-chain programs that we call or recognise, the same on every Solana network. */
import { address } from '@solana/addresses';

export const SYSTEM_PROGRAM = address('11111111111111111111111111111111');
export const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
export const TOKEN_2022_PROGRAM = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
export const ASSOCIATED_TOKEN_PROGRAM = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
/** Owner of sysvar accounts. */
export const SYSVAR_OWNER = address('Sysvar1111111111111111111111111111111111111');
/** The launch program of pump.fun: its bonding curves record who created a token. */
export const PUMP_PROGRAM = address('6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P');
/** Program of pump.fun that records who shares the creator fees of a coin. */
export const PUMP_FEES_PROGRAM = address('pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ');
/** Program of pump.fun. The instruction to create a coin names it even for coins that do not use it. */
export const PUMP_MAYHEM_PROGRAM = address('MAyhSmzXzV1pTf7LsNkrNwkWKTo4ougAJ1PPg47MD4e');
/** Program with names and pictures of tokens of the older token program. */
export const METAPLEX_METADATA_PROGRAM = address('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');
export const MEMO_PROGRAM = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
