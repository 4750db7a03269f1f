-- Which part of a parent window is shown around a chunk: all of it up to 8,000 code points, else that many, the chunk in
-- the middle as far as the window's ends allow. A chunk that is longer than that is shown alone.
--
-- Returns first and length in code points of the document; nulls for no window.
CREATE FUNCTION ragspine.place_window_v1(
  window_start integer, window_end integer, chunk_start integer, chunk_end integer, OUT first integer, OUT length integer)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT greatest(window_start, least(chunk_start - (s.size - (chunk_end - chunk_start)) / 2, window_end - s.size)), s.size
    FROM (SELECT least(window_end - window_start, greatest(8000, chunk_end - chunk_start)) AS size) AS s
$$;

COMMENT ON FUNCTION ragspine.place_window_v1(integer, integer, integer, integer) IS 'The part of a window shown around a chunk.';
