-- why: coins of EVM networks carry no name, so after an unexplained transaction only the owner knows whether a send has left already

alter table wallet_movements add column not_sent_before boolean not null default false;
