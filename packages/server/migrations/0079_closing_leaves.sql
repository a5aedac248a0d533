-- why: payments by program that failed keep nothing of what was asked for: no order leads to them, so no closing would find it

update x402_payments set request = '{}' where state = 'failed';
