export type SandboxNetwork = 'base-mainnet' | 'alt-mainnet' | 'solana-mainnet';
