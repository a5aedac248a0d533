-- Generated from packages/server/src/access/authority/buyer-wallet-repository.ts by `npm run generate`. Do not edit.

-- isHeldThere
("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($1::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($2::text[]));
