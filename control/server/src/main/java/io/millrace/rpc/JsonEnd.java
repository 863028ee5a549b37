package io.millrace.rpc;

/**
 * Finds the end of a JSON object in bytes that come in pieces: JSON-RPC gives no length. One thread.
 */
final class JsonEnd
{
    private int depth;
    private boolean isInString;
    private boolean isEscaped;
    private boolean hasBegun;

    /**
     * Takes a piece.
     *
     * @param bytes  with the piece.
     * @param offset of the piece.
     * @param length of the piece.
     * @return the offset behind the object; -1: more is to come.
     * @throws RpcException if it is no object.
     */
    int find(final byte[] bytes, final int offset, final int length)
    {
        for (int i = offset; i < offset + length; i++)
        {
            if (isEnd(bytes[i]))
            {
                return i + 1;
            }
        }
        return -1;
    }

    private boolean isEnd(final byte c)
    {
        if (isInString)
        {
            isInString = isEscaped || '"' != c;
            isEscaped = !isEscaped && '\\' == c;
            return false;
        }
        switch (c)
        {
            case '"' -> isInString = true;
            case '{', '[' -> depth++;
            case '}', ']' -> depth--;
            case ' ', '\t', '\n', '\r' ->
            {
                return false;
            }
            default ->
            {
                // Numbers, words and separators.
            }
        }
        if (!hasBegun && '{' != c)
        {
            throw new RpcException("the answer is no JSON object: is the socket SPDK's?");
        }
        hasBegun = true;
        return 0 == depth;
    }
}
