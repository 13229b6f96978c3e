/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BOUNDED_OPTION_H
#define BOUNDED_OPTION_H

#include <cstdint>
#include <istream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * A number on the command line that knows its bounds, for CommandLine::AddValue().
 *
 * CommandLine itself takes 8 of "8x", and 4294967295 of "-1". This takes all of the text or throws
 * std::invalid_argument with one line that names the option and what was expected.
 * @tparam T double, or an integer type whose bounds fit into int64_t
 */
template <typename T>
class BoundedOption
{
  public:
    /**
     * @param name of the option, without dashes
     * @param value default
     * @param low smallest value
     * @param high largest value
     */
    BoundedOption(const std::string& name, T value, T low, T high)
        : m_name(name),
          m_value(value),
          m_low(low),
          m_high(high)
    {
    }

    /** @returns the value */
    T Get() const
    {
        return m_value;
    }

    /** @returns the value */
    operator T() const
    {
        return m_value;
    }

    /** @param value the new value, within the bounds */
    void Set(T value)
    {
        if (!(value >= m_low && value <= m_high))
        {
            Refuse(value);
        }
        m_value = value;
    }

    /** @param text what the user wrote after the equals sign */
    void Parse(const std::string& text)
    {
        constexpr bool WHOLE = std::is_integral<T>::value;
        std::conditional_t<WHOLE, int64_t, T> number{};
        std::istringstream stream(text);
        stream >> number;
        const bool complete =
            !stream.fail() && stream.peek() == std::istringstream::traits_type::eof();
        // Not converted to T before it is known to fit; a NaN fails both comparisons.
        using Number = decltype(number);
        if (!complete || !(number >= static_cast<Number>(m_low)) ||
            !(number <= static_cast<Number>(m_high)))
        {
            Refuse(text);
        }
        m_value = static_cast<T>(number);
    }

  private:
    /**
     * @param given what the user wrote
     */
    template <typename U>
    [[noreturn]] void Refuse(const U& given) const
    {
        std::ostringstream text;
        text << "--" << m_name << "=" << given << ", expected a "
             << (std::is_integral<T>::value ? "whole number " : "number ") << m_low << ".."
             << m_high;
        throw std::invalid_argument(text.str());
    }

    std::string m_name; //!< of the option
    T m_value;          //!< default or given
    T m_low;            //!< smallest
    T m_high;           //!< largest
};

/** @returns the stream, after all that is left of it has been parsed */
template <typename T>
std::istream&
operator>>(std::istream& stream, BoundedOption<T>& option)
{
    std::string text;
    std::getline(stream, text);
    option.Parse(text);
    return stream;
}

/** @returns the stream with the value */
template <typename T>
std::ostream&
operator<<(std::ostream& stream, const BoundedOption<T>& option)
{
    return stream << option.Get();
}

} // namespace ns3

#endif // BOUNDED_OPTION_H
