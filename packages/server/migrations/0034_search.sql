-- why: search corrects typos and covers agents; its cost follows the vocabulary, not the number of services

create extension if not exists pg_trgm;

-- Words of public services. A word of a query that is not here is read as the most similar ones that are.
create table search_words (word text primary key);
create index search_words_alike on search_words using gin (word gin_trgm_ops);
create index search_words_prefix on search_words (word text_pattern_ops);

-- Only words that people type: letters, no numbers, neither very short nor very long.
create function is_search_word(p_word text) returns boolean language sql immutable parallel safe as
$$ select p_word ~ '^[[:alpha:]]{4,30}$' $$;

insert into search_words
  select distinct w from services s cross join lateral unnest(tsvector_to_array(s.search)) w where s.listed and is_search_word(w);

create index agents_words on agents using gin (to_tsvector('simple', spaced_words(name || ' ' || description)))
  where active and marketable and moderation_status = 'ok' and not owner_banned;
