-- Generated from packages/server/src/access/authority/known-wallets-repository.ts by `npm run generate`. Do not edit.

-- insertWalletProof
insert into "wallet_proofs" ("address", "how")
values ($1, $2)
on conflict do nothing;

-- isWalletKnown
select exists (select 1 from wallet_proofs where address = $1)
  or exists (select 1 from agent_wallets where address = $2) as known;

-- noteProvenWallet
insert into wallet_proofs (address, how)
values ($1, $2)
on conflict do nothing;
